// Defines the file of a recorded request: what was sent to the service and what came back, redacted.

import type { Tool } from '../facts/tools.ts';

export const RECORDED_VERSION = 1;

export interface RecordedExchange {
  v: number;
  /** The call of the entry that names this file. */
  call_id: string;
  tool: Tool;
  session_id: string | null;
  request: RecordedMessage & { method: string; url: string };
  /** null if no response came. */
  response: (RecordedMessage & { status: number }) | null;
  /** How the exchange ended, in the terms of `wrappers/relay/exchange.ts`. */
  end: 'under_way' | 'whole' | 'cut_by_service' | 'cut_by_cli' | 'unanswered';
  /** The operating system's error code; null if there is none. */
  error: string | null;
}

export interface RecordedMessage {
  headers: Record<string, string>;
  /** The names of headers with credentials. Their values are stored nowhere. */
  left_out: string[];
  /** The number of all bytes on the wire. */
  bytes: number;
  /** As it was sent, decompressed and redacted; null if it is not available. */
  body: string | null;
  /** Why it is less than the whole body; null if it is complete. */
  less: string | null;
}
