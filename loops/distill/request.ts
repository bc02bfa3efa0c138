// What a distillation is asked for: a book that begins, or goes on where it stopped; with what a person said of it.

import type { AnomalyName } from '../../policies/distill/anomalies.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { DistillCheckpoint } from '../../state/distill/checkpoint.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import type { DocumentService } from '../../wrappers/gemini-api/document-service.ts';
import type { DistillContext, DistillTerms, UploadBook } from './run/distill-run.ts';

/** null, or absent, where nobody said it. */
interface DistillSaid {
  model: string | null;
  temperature: number | null;
  endMarker: string | null;
  noCheck: readonly AnomalyName[] | null;
  out: string | null;
  maxCalls: number | null;
  /** The CLI in a session of which it is asked, in the place of the API. */
  via?: BuiltIn | null;
}

export type DistillAim =
  /** `promptFile`: null for the default prompt. */
  | { how: 'book'; book: string; promptFile: string | null; name: string | null }
  /** `force`: from a driver that cannot be looked up from here. */
  | { how: 'resume'; name: string; held: 'accept' | 'drop'; force?: boolean };

export interface DistillRequest {
  aim: DistillAim;
  said: DistillSaid;
  terms: Omit<DistillTerms, 'prices'>;
  context: DistillContext;
  means: DistillMeans;
  /** The first signal: what is in flight is waited for. `halt`: nothing is. */
  stop: AbortSignal;
  halt: AbortSignal;
}

/** What reaches the service, handed in. */
interface DistillMeans {
  /** What is wrong with the means is a sentence: nothing was written then. */
  service(of: { checkpoint: DistillCheckpoint; folder: DistillFolder }): Promise<DocumentService | string>;
  upload: UploadBook;
}

export type DistilledEnd =
  /** Nothing was paid. */
  | { how: 'invalid'; message: string }
  /** Somebody else drives it. */
  | { how: 'taken'; message: string }
  | { how: 'left'; name: string };
