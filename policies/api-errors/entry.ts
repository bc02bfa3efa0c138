// What stands in api_errors.log: one entry for each failure of the service or the conversation, and what became of it.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending } from '../facts/ending.ts';
import type { EvidenceSource } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';

export const API_ERROR_VERSION = 1;

/** In the file's own names: this is the line `Context:`. */
export interface ApiContext {
  v: number;
  call_id: string;
  task: string | null;
  stage: string | null;
  /** null for a call of a caller's own. */
  run_id: string | null;
  tool: Tool;
  cli_version: string | null;
  model: string | null;
  session_id: string | null;
  ending: Ending;
  /** The folder of the attempt. */
  attempt: string;
  cwd: string;
  class: ErrorClass;
  reason: string | null;
  signature: string | null;
  source: EvidenceSource | null;
  rule: string | null;
  snapshot: ApiSnapshot;
  /** Absent in an entry of a version that did not tell. */
  request?: SentRequest;
}

/** Where the request that failed stands: as it went through the relay, in a file of its own; else as what `Data:` folds, or nowhere. */
export type SentRequest =
  | { source: 'relay'; file: string }
  | { source: 'session_file' | 'client_error' | 'prompt' }
  | { source: 'none' };

/** Where the conversation was read from; `bytes` of its line, by which a torn one is known. */
export type ApiSnapshot =
  | {
      how: 'read';
      from: 'session_file' | 'client_error' | 'prompt';
      file: string | null;
      /** Why it is less than the whole conversation; null where it is whole. */
      less: string | null;
      bytes: number;
    }
  | { how: 'absent'; why: string; bytes: number };

/** As its CLI leaves it: most of it is unknown to most CLIs. */
export interface Response {
  status: number | null;
  code: string | null;
  type: string | null;
  details: string | null;
  /** Of a recorded request all that are no secret, else what the CLI tells of them; null where it tells none. */
  headers: Record<string, string> | null;
  /** Of a recorded request the beginning of the raw body; absent where there is none. */
  body?: string;
  /** Lines of stderr that bear an error. */
  stderr: string[];
  /** The last events of its stream. */
  events: unknown[];
}

export interface ApiError {
  /** ISO time. */
  at: string;
  context: ApiContext;
  message: string;
  stack: string | null;
  response: Response;
  /** The last thoughts, tool calls and results before it. */
  before: unknown[];
}

/** `retried`: a later attempt of its stage was made, and failed as well. */
export type ApiErrorFate = 'recovered' | 'unrecovered' | 'retried';

export interface ApiOutcome {
  at: string;
  call_id: string;
  how: ApiErrorFate;
  /** Half a sentence: by what, or why not. */
  why: string;
}
