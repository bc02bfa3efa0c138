// Uploads a book and checks every two seconds until the service has prepared it; repeats temporary failures visibly.

import type { UploadWhy } from '../../../policies/distill/distill-facts.ts';
import type { PauseReason } from '../../../policies/distill/pauses.ts';
import { type JudgedFailure, judgeFailure, waitAfter } from '../../../policies/distill/service-failures.ts';
import { UnfitFileError } from '../../../state/disk/regular-file.ts';
import { isSystemError } from '../../../state/system-error.ts';
import {
  type BookToUpload,
  type DocumentService,
  ServiceFailure,
} from '../../../wrappers/gemini-api/document-service.ts';
import type { UploadEnd } from '../run/distill-run.ts';

/** What an upload needs of the run. */
interface Uploading {
  service: Pick<DocumentService, 'upload' | 'look'>;
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
      const said = judgeFailure(error, now);
      // An upload costs nothing, however often its connection fails.
      const judged: JudgedFailure = error.offline ? { ...said, does: { means: 'retry', forever: true } } : said;
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
