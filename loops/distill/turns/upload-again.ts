// Uploads the book, for the first time or again, and makes the history name the valid file.

import type { UploadWhy } from '../../../policies/distill/distill-facts.ts';
import { lookAtBook } from '../book/book.ts';
import type { DistillRun, StepLeft } from '../run/distill-run.ts';

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
