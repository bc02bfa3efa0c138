// Copies what a CLI wrote to where others may read it, without the secrets in it.

import { closeSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { type Durability, replaceFile } from '../../state/disk/replace-file.ts';

/**
 * Of any size, in constant memory; 0600. Throws what the disk says.
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

/** The same of a file by its name. Throws EINVAL where that is no regular file. */
export function copyRedacted(from: string, file: string, redactor: Redactor, promise: Durability): void {
  const source = openRegular(from);
  try {
    publishRedacted(source, file, redactor, promise, null);
  } finally {
    closeSync(source);
  }
}

function writeRedacted(source: number, target: number, redactor: Redactor): void {
  const stream = createStreamRedactor(redactor);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let at = 0;
  for (let read = readSync(source, buffer, 0, CHUNK, at); read > 0; read = readSync(source, buffer, 0, CHUNK, at)) {
    at += read;
    writeFileSync(target, stream.write(decoder.write(buffer.subarray(0, read))));
  }
  writeFileSync(target, stream.write(decoder.end()) + stream.end());
}

const CHUNK = 16 * 1024;
