// Defines the journal's facts of a distillation: its terms, and what was uploaded, answered, kept and deleted.

import type { Anomaly } from './anomalies.ts';
import type { PauseReason } from './pauses.ts';

export type DistillFact =
  /** The distillation begins, or resumes with other terms. The last such fact counts. */
  | {
      fact: 'distilled';
      run_id: string;
      book_sha256: string;
      prompt_sha256: string;
      model: string;
    }
  /** Written after the service reports that the file is ready. Uploads cost nothing. */
  | {
      fact: 'uploaded';
      run_id: string;
      why: UploadWhy;
      name: string;
      uri: string;
      mime_type: string;
      expires_at: string | null;
    }
  /** The answer is on disk, synced, in `turns/<turn>.json`. `held`: it belongs to the book only after a user accepts it. */
  | {
      fact: 'answered';
      run_id: string;
      call_id: string;
      /** Among all answers that were ever paid for, from 1. */
      turn: number;
      /** Its place in the book, from 1. */
      section: number;
      title: string;
      chars: number;
      /** The requested model; older lines lack it. */
      model?: string;
      model_version: string | null;
      tokens: number;
      /** The service counted no tokens, so `tokens` is a fourth of the characters. */
      estimated: boolean;
      /** null if no price is known. */
      usd: number | null;
      /** The answer ended with the end marker. */
      ends: boolean;
      held: Anomaly | null;
    }
  /** A held answer is accepted, or it is dropped and its section is requested again. */
  | { fact: 'accepted'; turn: number }
  | { fact: 'dropped'; turn: number }
  /** The section is removed from the document and from the history. `again`: it is requested again. */
  | { fact: 'deleted'; section: number; again: boolean }
  /** The loop ended. It can be resumed from this point. */
  | { fact: 'halted'; run_id: string; how: HaltHow; reason: PauseReason | null; evidence: string };

/** `lost`: the service no longer knows the file; `expiring`: the file expires soon. */
export type UploadWhy = 'first' | 'expiring' | 'lost';

export type HaltHow = 'complete' | 'paused' | 'stopped' | 'interrupted';
