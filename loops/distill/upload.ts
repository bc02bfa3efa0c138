// Uploads a book and waits until the service has prepared it, and uploads it again when the service has lost it.

import type { UploadWhy } from '../../policies/distill/distillation.ts';
import type { PauseReason } from '../../policies/distill/pauses.ts';
import { type ClassifiedFailure, classifyFailure, waitAfter } from '../../policies/distill/service.ts';
import { UnfitFileError } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type BookToUpload, type DocumentService, ServiceFailure } from '../../wrappers/gemini-api/document-service.ts';
import { lookAtBook } from './book/book.ts';
import type { DistillRun, StepLeft, UploadEnd } from './distill-run.ts';

/** What an upload needs of the run. */
interface Uploading {
  service: DocumentService;
  /** Aborts on a request to pause or stop: an upload costs nothing and is not awaited. */
  control: { waiting: AbortSignal };
  terms: { autoWaitMs: number };
  context: {
    clock: () => Date;
    random: () => number;
    pause: (ms: number, stop: AbortSignal) => Promise<void>;
    tell: (event: UploadEvent) => void;
  };
}

type UploadEvent =
  | { event: 'uploading'; why: UploadWhy; bytes: number; of: number }
  | { event: 'processing'; elapsed_ms: number }
  | { event: 'waiting'; what: 'upload'; section: null; attempt: number; wait_ms: number; why: string };

type Ended<T> = { how: 'done'; value: T } | Exclude<UploadEnd, { how: 'ready' }>;

const LOOK_MS = 2000;
const LONGEST_PROCESSING_MS = 4 * 60_000;

export async function uploadBook(
  book: BookToUpload & { bytes: number },
  run: Uploading,
  why: UploadWhy = 'first',
): Promise<UploadEnd> {
  const { service, control, context } = run;
  const signal = control.waiting;
  let most = 0;
  const uploaded = await patiently(run, (progressed) => {
    const sent = (bytes: number) => {
      if (bytes > most) progressed();
      most = Math.max(most, bytes);
      context.tell({ event: 'uploading', why, bytes, of: book.bytes });
    };
    return service.upload(book, { signal, sent });
  });
  if (uploaded.how !== 'done') return uploaded;
  const since = context.clock().getTime();
  for (let file = uploaded.value; ; ) {
    if (file.state === 'ACTIVE') return { how: 'ready', file };
    if (file.state === 'FAILED')
      return failed('processing', `the service could not read the book: ${file.error ?? 'it does not say why'}`);
    const elapsedMs = context.clock().getTime() - since;
    if (elapsedMs >= LONGEST_PROCESSING_MS)
      return failed('processing', `the service was still at it after ${Math.round(elapsedMs / 1000)} s`);
    context.tell({ event: 'processing', elapsed_ms: elapsedMs });
    await context.pause(LOOK_MS, signal);
    const { name } = file;
    const looked = await patiently(run, () => service.look(name, signal));
    if (looked.how !== 'done') return looked;
    file = looked.value;
  }
}

/** @param request calls `progressed` when it has advanced; a later failure counts as the first one again. */
async function patiently<T>(run: Uploading, request: (progressed: () => void) => Promise<T>): Promise<Ended<T>> {
  const { control, context, terms } = run;
  let [attempt, tries] = [1, 0];
  const progressed = () => {
    [attempt, tries] = [1, 0];
  };
  while (!control.waiting.aborted) {
    try {
      return { how: 'done', value: await request(progressed) };
    } catch (error) {
      if (control.waiting.aborted) break;
      if (error instanceof UnfitFileError || isSystemError(error)) return failed('book', error.message);
      if (!(error instanceof ServiceFailure)) throw error;
      const now = context.clock();
      const said = classifyFailure(error, now);
      // An upload costs nothing, however often its connection fails.
      const judged: ClassifiedFailure = error.offline ? { ...said, does: { means: 'retry', forever: true } } : said;
      if (judged.does.means !== 'retry') return failed('error', judged.evidence);
      if (!judged.does.forever) tries += 1;
      const wait = waitAfter(judged, { attempt, tries, autoWaitMs: terms.autoWaitMs, now, random: context.random });
      if (wait.how === 'pause') return failed(wait.reason, wait.evidence);
      attempt += 1;
      const details = { attempt, wait_ms: wait.waitMs, why: judged.evidence };
      context.tell({ event: 'waiting', what: 'upload', section: null, ...details });
      await context.pause(wait.waitMs, control.waiting);
    }
  }
  return { how: 'aborted' };
}

const failed = (reason: PauseReason, evidence: string) => ({ how: 'failed' as const, reason, evidence });

/** @returns null when the file is ready and every earlier part of the history names it; otherwise nothing has changed. */
export async function uploadAgain(why: UploadWhy, run: DistillRun): Promise<StepLeft | null> {
  const { context, book } = run;
  const changed = why === 'first' ? null : await changedBook(run);
  if (changed !== null) return { how: 'paused', reason: 'book', evidence: changed };
  context.tell({ event: 'uploading', why, bytes: 0, of: book.bytes });
  const ended = await run.upload(book, run, why);
  if (ended.how === 'aborted') return ended;
  const at = context.clock().toISOString();
  if (ended.how === 'failed') {
    const evidence = run.redact(ended.evidence);
    run.trace({ at, kind: 'error', upload: why, error: { reason: ended.reason, evidence } });
    return { how: 'paused', reason: ended.reason, evidence };
  }
  const { name, uri, mimeType, expiresAt } = ended.file;
  run.record({ fact: 'uploaded', run_id: run.runId, why, name, uri, mime_type: mimeType, expires_at: expiresAt });
  run.history.point({ uri, mimeType });
  run.trace({ at, kind: 'upload', why, file: name, uri, bytes: book.bytes, expires_at: expiresAt });
  context.tell({ event: 'uploaded', file: name, expires_at: expiresAt });
  return null;
}

/** Hours may have passed. Without this check, sections of two different books would be paid for. */
async function changedBook({ checkpoint: { book, book_sha256 } }: DistillRun): Promise<string | null> {
  const found = await lookAtBook(book);
  if (found.how === 'refused') return found.message;
  return found.sha256 === book_sha256
    ? null
    : `${book} is another book than the run was begun with (its SHA-256 differs), and is not uploaded`;
}
