// Defines an entry of api_errors.log: a failure of the service or the conversation, and its later outcome.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending, EvidenceSource } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';

export const API_ERROR_VERSION = 1;

/** Uses the names in the file. */
export interface FailedCallContext {
  v: number;
  call_id: string;
  task: string | null;
  stage: string | null;
  /** null for a call that a separate caller made. */
  run_id: string | null;
  tool: Tool;
  cli_version: string | null;
  model: string | null;
  session_id: string | null;
  ending: Ending;
  attempt: string;
  cwd: string;
  class: ErrorClass;
  reason: string | null;
  signature: string | null;
  source: EvidenceSource | null;
  rule: string | null;
  /** Absent in entries of older versions. */
  request?: SentRequest;
}

/** The line `Context:`. */
export interface ApiContext extends FailedCallContext {
  snapshot: ApiSnapshot;
}

/** Where the failed request is stored: the relay's own recording in a separate file; else the source of `Data:`, or nowhere. */
export type SentRequest =
  | { source: 'relay'; file: string }
  | { source: 'session_file' | 'client_error' | 'prompt' }
  | { source: 'none' };

/** Where the conversation was read from. `bytes` is the length of its line, which shows whether the line is torn. */
export type ApiSnapshot =
  | {
      how: 'read';
      from: 'session_file' | 'client_error' | 'prompt';
      file: string | null;
      /** Why it is less than the whole conversation; null if it is complete. */
      less: string | null;
      bytes: number;
    }
  | { how: 'absent'; why: string; bytes: number };

/** As its CLI reports it. Most CLIs do not know most of these fields. */
export interface Response {
  status: number | null;
  code: string | null;
  type: string | null;
  details: string | null;
  /** For a recorded request, all headers that are not secret; otherwise those that the CLI reports. null if it reports none. */
  headers: Record<string, string> | null;
  /** For a recorded request, the beginning of the raw body; absent if there is none. */
  body?: string;
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
  /** Part of a sentence: what recovered it, or why nothing did. */
  why: string;
}
