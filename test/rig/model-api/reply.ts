// What the loopback model API can do with one request, as facts that no dialect has to know by name.

import type { RejectionName } from './rejections.ts';

export type Reply =
  /** An answer, a tool call or both; `afterMs` of silence come first. */
  | { how: 'says'; saying: Saying; afterMs?: number }
  /** Calls a tool that the caller offers and that runs this shell command; `afterMs` of silence come first. */
  | { how: 'runs'; command: string; afterMs?: number }
  | { how: 'rejects'; with: RejectionName }
  /** HTTP 200, and the error comes inside the stream; `afterMs` of silence come first. */
  | { how: 'fails_in_stream'; code: string; message: string; afterMs?: number }
  /** Bytes as they are, whatever the dialect. */
  | { how: 'sends'; status: number; type: string; bytes: string; headers?: Record<string, string> }
  /** The connection is reset before a byte of the reply. */
  | { how: 'resets' }
  /** Nothing comes, ever; with `headers` they and a keep-alive comment do. */
  | { how: 'stays_silent'; until: 'headers' | 'forever' }
  /** An answer begins, and nothing follows. */
  | { how: 'stalls' };

/** One turn of the model. */
export interface Saying {
  text: string;
  tool: ToolCall | null;
  end: keyof typeof ENDS;
}

export interface ToolCall {
  name: string;
  /** Of the server whose tool it is, where a dialect names both. */
  namespace?: string;
  args: Record<string, unknown>;
}

export const ENDS = {
  stop: 'the model is done',
  max_tokens: 'the answer hit the output limit',
  safety: 'a filter stopped the answer',
  blocked: 'a filter refused the prompt before any answer',
  unfinished: 'the stream closes in good order but without saying that the model is done',
  cut: 'the connection is reset in the middle of the answer',
} as const;
