// Defines the request for a distillation: a book that begins or continues, with the user's settings.

import type { AnomalyName } from '../../policies/distill/anomalies.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { DistillCheckpoint } from '../../state/distill/checkpoint.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import type { DocumentService } from '../../wrappers/gemini-api/document-service.ts';
import type { DistillRun } from './distill-run.ts';

/** null, or absent, if the user did not set it. */
interface DistillSaid {
  model: string | null;
  temperature: number | null;
  endMarker: string | null;
  noCheck: readonly AnomalyName[] | null;
  out: string | null;
  maxCalls: number | null;
  /** The CLI whose session answers, instead of the API. */
  via?: BuiltIn | null;
}

export type DistillAim =
  /** `promptFile`: null for the default prompt. */
  | { how: 'book'; book: string; promptFile: string | null; name: string | null }
  /** `force`: take it over from a driver that cannot be looked up from here. */
  | { how: 'resume'; name: string; held: 'accept' | 'drop'; force?: boolean };

export interface DistillRequest {
  aim: DistillAim;
  said: DistillSaid;
  terms: Omit<DistillRun['terms'], 'prices'>;
  context: DistillRun['context'];
  means: DistillMeans;
  /** `stop`: the first signal; what is in progress is awaited. `halt`: nothing is awaited. */
  stop: AbortSignal;
  halt: AbortSignal;
}

/** The access to the service, passed in by the caller. */
interface DistillMeans {
  /** Returns a sentence if the access does not work; then nothing was written. */
  service(of: { checkpoint: DistillCheckpoint; folder: DistillFolder }): Promise<DocumentService | string>;
  upload: DistillRun['upload'];
}

export type DistilledEnd =
  /** Nothing was paid. */
  | { how: 'invalid'; message: string }
  /** Another process drives it. */
  | { how: 'taken'; message: string }
  | { how: 'ended'; name: string };
