// What a distillation tells while it goes on: one line each for machines, one that moves for people.

import type { Anomaly } from '../../../policies/distill/anomalies.ts';
import type { UploadWhy } from '../../../policies/distill/distill-facts.ts';

/** As `--json` prints them, a line each. Past tense, with what its reader shows. */
export type DistillEvent =
  | { event: 'begun' | 'resumed'; name: string; book: string; model: string; sections: number }
  | { event: 'noted'; text: string }
  | { event: 'uploading'; why: UploadWhy; bytes: number; of: number }
  /** The service has it, and makes it ready. */
  | { event: 'processing'; elapsed_ms: number }
  | { event: 'uploaded'; file: string; expires_at: string | null }
  | { event: 'asking'; section: number; attempt: number }
  /** A request failed, and is made again: `attempt` is the one that comes. */
  | {
      event: 'waiting';
      what: 'upload' | 'section';
      section: number | null;
      attempt: number;
      wait_ms: number;
      why: string;
    }
  | {
      event: 'answered';
      section: number;
      title: string;
      tokens: number;
      estimated: boolean;
      /** Of the whole distillation, this one included. */
      total_tokens: number;
      total_usd: number;
      elapsed_ms: number;
      held: Anomaly | null;
    }
  | { event: 'deleted'; section: number; again: boolean };

/** The file that goes to the service, and what it is called there. */
export interface BookToUploadFrom {
  file: string;
  mimeType: string;
  displayName: string;
  bytes: number;
}
