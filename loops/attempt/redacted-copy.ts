// Copies the CLI's output to where others may read it, with secrets removed.

import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { type Durability, replaceFile } from '../../state/disk/replace-file.ts';

/**
 * Copies a file of any size in constant memory, with mode 0600. Throws the errors of the disk.
 * @param source an open file, read from its start. @param beside as `replaceFile` takes it, and returns it
 */
export function publishRedacted(
  source: number,
  file: string,
  redactor: Redactor,
  promise: Durability,
  beside: string | null,
): boolean {
  return replaceFile(file, promise, (fd) => writeRedacted(source, fd, redactor), 'set_aside', beside);
}

/** Does the same for a file given by its name. Throws EINVAL if it is not a regular file. */
export function copyRedacted(from: string, file: string, redactor: Redactor, promise: Durability): void {
  const source = openRegular(from);
  try {
    publishRedacted(source, file, redactor, promise, null);
  } finally {
    closeSync(source);
  }
}

/**
 * Copies up to the size at the start: a process that still writes to the file cannot make the copy endless. A CLI that repeats
 * one message fills each piece with the same bytes, so their redacted text is reused.
 */
function writeRedacted(source: number, target: number, redactor: Redactor): void {
  const stream = createStreamRedactor(redactor);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  const end = fstatSync(source).size;
  let last: { piece: Buffer; redacted: Buffer } | null = null;
  let at = 0;
  let held = 0;
  let isAtLine = true;
  for (;;) {
    const read = readSync(source, buffer, held, Math.min(CHUNK - held, end - at), at);
    if (read === 0) break;
    at += read;
    const filled = held + read;
    // The last line continues in the next piece; a line that fills the buffer is read in pieces.
    const piece = buffer.subarray(0, buffer.lastIndexOf(LINE_END, filled - 1) + 1 || filled);
    held = filled - piece.length;
    if (last?.piece.equals(piece)) writeFileSync(target, last.redacted);
    else {
      const isOwn = isAtLine && stream.isIdle();
      const redacted = Buffer.from(stream.write(decoder.write(piece)));
      writeFileSync(target, redacted);
      isAtLine = piece.at(-1) === LINE_END;
      // The text can be reused only for complete lines with nothing held back before or after. Else it depends on its neighbours.
      last = isOwn && isAtLine && stream.isIdle() ? { piece: Buffer.from(piece), redacted } : null;
    }
    buffer.copyWithin(0, piece.length, filled);
  }
  writeFileSync(target, stream.write(decoder.end(buffer.subarray(0, held))) + stream.end());
}

const LINE_END = 10;
const CHUNK = 64 * 1024;
