// The file of a request that was recorded: what went to the service and what came back, secrets taken out.

import type { Tool } from '../facts/tools.ts';

export const RECORDED_VERSION = 1;

export interface RecordedExchange {
  v: number;
  /** Of the entry that names this file. */
  call_id: string;
  tool: Tool;
  session_id: string | null;
  request: RecordedMessage & { method: string; url: string };
  /** null where none came. */
  response: (RecordedMessage & { status: number }) | null;
  /** How it ended, as `wrappers/relay/exchange.ts` has it. */
  end: 'under_way' | 'whole' | 'cut_by_service' | 'cut_by_cli' | 'unanswered';
  /** The operating system's word for it; null where it said none. */
  error: string | null;
}

export interface RecordedMessage {
  headers: Record<string, string>;
  /** The names of headers that sign in: their values are nowhere. */
  left_out: string[];
  /** Of all that went over the wire. */
  bytes: number;
  /** As it was sent, unpacked, less its secrets; null where that is not to be had. */
  body: string | null;
  /** Why it is less than the whole body; null where it is whole. */
  less: string | null;
}
