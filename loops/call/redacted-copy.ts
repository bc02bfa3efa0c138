// Copies what a CLI wrote to where others may read it, without the secrets in it.

import { closeSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createStreamRedactor, type Redactor } from '../../policies/redact.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { replace } from './replace-file.ts';

/** Of any size, in constant memory; 0600. Throws what the disk says, and EINVAL where the source is no regular file. */
export function publishRedacted(from: string, file: string, redactor: Redactor): void {
  const source = openRegular(from);
  try {
    replace(file, 'rename', (fd) => {
      const stream = createStreamRedactor(redactor);
      const decoder = new StringDecoder('utf8');
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer))
        writeFileSync(fd, stream.write(decoder.write(buffer.subarray(0, read))));
      writeFileSync(fd, stream.write(decoder.end()) + stream.end());
    });
  } finally {
    closeSync(source);
  }
}

const CHUNK = 16 * 1024;
