// Defines the progress events of a distillation: one line each for machines, one updated line for users.

import type { Anomaly } from '../../../policies/distill/anomalies.ts';
import type { UploadWhy } from '../../../policies/distill/distill-facts.ts';

/** `--json` prints each as one line. Past tense, with the values that its reader shows. */
export type DistillEvent =
  | { event: 'begun' | 'resumed'; name: string; book: string; model: string; sections: number }
  | { event: 'noted'; text: string }
  | { event: 'uploading'; why: UploadWhy; bytes: number; of: number }
  /** The service has the book, and prepares it. */
  | { event: 'processing'; elapsed_ms: number }
  | { event: 'uploaded'; file: string; expires_at: string | null }
  | { event: 'asking'; section: number; attempt: number }
  /** A request failed, and is repeated: `attempt` is the number of the next one. */
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
      /** For the whole distillation, including this section. */
      total_tokens: number;
      total_usd: number;
      elapsed_ms: number;
      held: Anomaly | null;
    }
  | { event: 'deleted'; section: number; again: boolean };

/** The file that is sent to the service, and its name there. */
export interface BookToUploadFrom {
  file: string;
  mimeType: string;
  displayName: string;
  bytes: number;
}
