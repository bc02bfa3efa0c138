// Declares what the model API can do with one request, in terms that are independent of the dialects.

import type { RejectionName } from './rejections.ts';

export type Reply =
  /** An answer, a tool call or both, after `afterMs` of silence. */
  | { how: 'says'; saying: Saying; afterMs?: number }
  /** Calls a tool that the caller offers and that runs this shell command, after `afterMs` of silence. */
  | { how: 'runs'; command: string; afterMs?: number }
  | { how: 'rejects'; with: RejectionName }
  /** HTTP 200 with the error inside the stream, after `afterMs` of silence. */
  | { how: 'fails_in_stream'; code: string; message: string; afterMs?: number }
  /** Raw bytes, the same for every dialect. */
  | { how: 'sends'; status: number; type: string; bytes: string; headers?: Record<string, string> }
  /** The connection is reset before a byte of the reply. */
  | { how: 'resets' }
  /** Nothing is ever sent; with `headers`, only these and a keep-alive comment. */
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
  /** The server of the tool, if a dialect names both. */
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
