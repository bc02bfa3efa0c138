// The service behind a distillation: takes a book, tells its state, answers turns; how it fails is one class of error.

import type { ServiceRefusal, TurnAnswer, TurnContent, UploadedBook } from '../../policies/distill/service.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';

/** Nothing is tried again in here: who asks decides that. All throw ServiceFailure, or the reason of an aborted signal; `upload` also what the system says of the book, and UnfitFileError. */
export interface DocumentService {
  /** Uploads in pieces that are read from disk as they are sent. `sent` gets the bytes that the service has; the number may fall. */
  upload: (
    book: BookToUpload,
    options: { signal: AbortSignal; sent: (bytes: number) => void },
  ) => Promise<UploadedBook>;
  /** Returns the state of an uploaded file, by its name. */
  look: (name: string, signal: AbortSignal) => Promise<UploadedBook>;
  ask: (turn: TurnToAsk) => Promise<TurnAnswer>;
}

export interface BookToUpload {
  file: string;
  mimeType: string;
  displayName: string;
}

export interface TurnToAsk {
  model: string;
  systemInstruction: string;
  contents: readonly TurnContent[];
  /** null leaves it to the service. */
  temperature: number | null;
  signal: AbortSignal;
  /** The number of this answer among all that were paid. It identifies a request of a killed run. */
  turn?: number;
}

export class ServiceFailure extends Error implements ServiceRefusal {
  override readonly name = 'ServiceFailure';
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly body: string;
  readonly offline: boolean;
  declare readonly verdict?: Verdict;
  declare readonly maybePaid?: boolean;

  constructor(
    { message, status, retryAfterMs, body, offline, verdict, maybePaid }: ServiceRefusal,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.body = body;
    this.offline = offline;
    if (verdict !== undefined) this.verdict = verdict;
    if (maybePaid !== undefined) this.maybePaid = maybePaid;
  }
}
