// Defines the requests to the service that stores a book and answers about it, and its results, without any package's types.

import type { Verdict } from '../facts/evidence.ts';

/** An uploaded file. Its reference is valid until it expires (after two days at Gemini). */
export interface UploadedBook {
  /** The name by which its state is queried: `files/abc`. */
  name: string;
  /** The address by which a turn refers to it. */
  uri: string;
  mimeType: string;
  state: 'PROCESSING' | 'ACTIVE' | 'FAILED';
  /** RFC 3339, as the service wrote it. */
  expiresAt: string | null;
  /** Why the file could not be processed, in the service's words. */
  error: string | null;
}

/** One entry of a history. A model's answer is sent back unchanged, because its parts carry signatures. */
export interface TurnContent {
  role: 'user' | 'model';
  parts: readonly unknown[];
}

export interface TurnAnswer {
  /** The answer as it must be sent back; null if there was none. */
  content: TurnContent | null;
  /** The readable text of the answer, without thoughts. */
  text: string;
  finishReason: string | null;
  /** Why the prompt itself was refused. */
  blockReason: string | null;
  /** In tokens, as the service counted them; null if it did not. */
  usage: TurnUsage | null;
  modelVersion: string | null;
}

export interface TurnUsage {
  /** The whole prompt, including cached tokens. */
  input: number;
  output: number;
  thoughts: number;
  cached: number;
}

/** All that is known about a request that got no answer. */
export interface ServiceRefusal {
  message: string;
  /** The HTTP status; null if no response came. */
  status: number | null;
  /** The longer of `Retry-After` and RetryInfo. */
  retryAfterMs: number | null;
  /** The first 64 KiB of the service's response. */
  body: string;
  /** The service was not reached: no name, no route, a refused or a broken connection. */
  offline: boolean;
  /**
   * Set if this is known from something other than the status. A CLI may have paid for requests before the one that was refused.
   */
  maybePaid?: boolean;
  /** Set if a wrapper has already classified the failure; otherwise the texts are classified. */
  verdict?: Verdict;
}
