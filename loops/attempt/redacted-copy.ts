// Copies what a CLI wrote to where others may read it, without the secrets in it.

import { isUtf8 } from 'node:buffer';
import { closeSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { Screen } from '../../policies/redact/screen.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { type Durability, replaceFile } from '../../state/disk/replace-file.ts';

/**
 * Of any size, in constant memory; 0600. Throws what the disk says.
 * @param source an open file, read from its start. @param beside as `replaceFile` takes it, and returns it
 * @param screen of the redactor, for a large one
 */
export function publishRedacted(
  source: number,
  file: string,
  redactor: Redactor,
  promise: Durability,
  beside: string | null,
  screen: Screen | null = null,
): boolean {
  return replaceFile(file, promise, (fd) => writeRedacted(source, fd, redactor, screen), 'set_aside', beside);
}

/** The same of a file by its name. Throws EINVAL where that is no regular file. */
export function copyRedacted(
  from: string,
  file: string,
  redactor: Redactor,
  promise: Durability,
  screen: Screen | null = null,
): void {
  const source = openRegular(from);
  try {
    publishRedacted(source, file, redactor, promise, null, screen);
  } finally {
    closeSync(source);
  }
}

/** Lines that hold nothing to take out are written as the bytes that they are; only of the others a text is made. */
function writeRedacted(source: number, target: number, redactor: Redactor, screen: Screen | null): void {
  const stream = createStreamRedactor(redactor);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let at = 0;
  let held = 0;
  let isAtLine = true;
  for (;;) {
    const read = readSync(source, buffer, held, CHUNK - held, at);
    if (read === 0) break;
    at += read;
    const filled = held + read;
    // The last line goes on in what comes; one that fills the buffer is read in pieces.
    const whole = buffer.subarray(0, buffer.lastIndexOf(LINE_END, filled - 1) + 1 || filled);
    held = filled - whole.length;
    const endsLine = whole.at(-1) === LINE_END;
    const isClean = isAtLine && endsLine && stream.isIdle() && screen?.(whole) === false && isUtf8(whole);
    writeFileSync(target, isClean ? whole : stream.write(decoder.write(whole)));
    isAtLine = endsLine;
    buffer.copyWithin(0, whole.length, filled);
  }
  writeFileSync(target, stream.write(decoder.end(buffer.subarray(0, held))) + stream.end());
}

const LINE_END = 10;
const CHUNK = 64 * 1024;
