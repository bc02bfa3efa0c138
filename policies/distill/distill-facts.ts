// The facts of a distillation as the journal holds them: what the book is asked as, what was uploaded, answered, kept and deleted.

import type { Anomaly } from './anomalies.ts';
import type { PauseReason } from './pauses.ts';

export type DistillFact =
  /** It begins, or goes on with other terms than before: the last one counts. */
  | {
      fact: 'distilled';
      run_id: string;
      book_sha256: string;
      prompt_sha256: string;
      model: string;
    }
  /** Written once the service says that the file is ready. Uploads cost nothing. */
  | {
      fact: 'uploaded';
      run_id: string;
      why: UploadWhy;
      name: string;
      uri: string;
      mime_type: string;
      expires_at: string | null;
    }
  /** Its answer is on disk, synced, in `turns/<turn>.json`. `held`: it is not of the book until a person accepts it. */
  | {
      fact: 'answered';
      run_id: string;
      call_id: string;
      /** Of all answers that were ever paid, from 1. */
      turn: number;
      /** Its place in the book, from 1. */
      section: number;
      title: string;
      chars: number;
      /** The model that was asked; older lines lack it. */
      model?: string;
      model_version: string | null;
      tokens: number;
      /** The service counted none: the tokens are a fourth of the characters. */
      estimated: boolean;
      /** null where no price is known. */
      usd: number | null;
      /** The end marker stood at its end. */
      ends: boolean;
      held: Anomaly | null;
    }
  /** A held answer is taken after all, or is not and its section is asked for again. */
  | { fact: 'accepted'; turn: number }
  | { fact: 'dropped'; turn: number }
  /** Out of the document and of the history; `again`: its section is asked for anew. */
  | { fact: 'deleted'; section: number; again: boolean }
  /** The loop was left. It is gone on with from there. */
  | { fact: 'halted'; run_id: string; how: HaltHow; reason: PauseReason | null; evidence: string };

/** `lost`: the service does not know the file any more; `expiring`: it soon will not. */
export type UploadWhy = 'first' | 'expiring' | 'lost';

export type HaltHow = 'complete' | 'paused' | 'stopped' | 'interrupted';
