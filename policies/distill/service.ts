// What the service that holds an uploaded book and answers about it is given, and what it gives back; nothing of any package.

import type { Verdict } from '../facts/evidence.ts';

/** An uploaded file; its reference is good until it expires (two days at Gemini). */
export interface UploadedBook {
  /** By which its state is asked for: `files/abc`. */
  name: string;
  /** By which a turn names it. */
  uri: string;
  mimeType: string;
  state: 'PROCESSING' | 'ACTIVE' | 'FAILED';
  /** RFC 3339, as the service wrote it. */
  expiresAt: string | null;
  /** Why it could not be processed, in the service's words. */
  error: string | null;
}

/** One entry of a history. What a model said goes back as it came: its parts carry signatures. */
export interface TurnContent {
  role: 'user' | 'model';
  parts: readonly unknown[];
}

export interface TurnAnswer {
  /** The answer as it is to be sent back; null where there was none. */
  content: TurnContent | null;
  /** What can be read of it, thoughts left out. */
  text: string;
  finishReason: string | null;
  /** Why the prompt itself was refused. */
  blockReason: string | null;
  /** In tokens, as the service counted them; null where it did not. */
  usage: TurnUsage | null;
  modelVersion: string | null;
}

export interface TurnUsage {
  /** The whole prompt, with what was cached. */
  input: number;
  output: number;
  thoughts: number;
  cached: number;
}

/** All that is known of a request that got no answer. */
export interface ServiceRefusal {
  message: string;
  /** Of HTTP; null where no answer came. */
  status: number | null;
  /** The longer of `Retry-After` and RetryInfo. */
  retryAfterMs: number | null;
  /** What the service said, the first 64 KiB of it. */
  body: string;
  /** No service was reached: no name, no route, nobody listening, a connection that broke. */
  offline: boolean;
  /** Where it is known otherwise than by the status: a CLI that was started may have paid for requests before the one that was refused. */
  maybePaid?: boolean;
  /** Where a wrapper has judged it already; else it is judged by what was said. */
  verdict?: Verdict;
}
