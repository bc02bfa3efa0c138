// Uploads the book, at first or anew, and has the history name the file that is good now.

import type { UploadWhy } from '../../policies/distill/distill-facts.ts';
import type { DistillRun, StepLeft } from './distill-run.ts';

/** @returns null once the file is ready and every earlier part of the history names it; else nothing has changed. */
export async function uploadAgain(why: UploadWhy, run: DistillRun): Promise<StepLeft | null> {
  const { context, book } = run;
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
