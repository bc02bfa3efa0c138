// Writes the artifact with the redacted output of the acceptance commands, completely or not at all, in constant memory.

import { closeSync, fstatSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { cutStacks } from '../../policies/text/stack-trace.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { openBeside, takePlace } from '../../state/disk/replace-file.ts';

interface OutputLog {
  /**
   * Writes a headline, then the content of a file up to the limit.
   * @returns its last lines.
   */
  add(headline: string, file: string): string;
  /** Makes the log visible under its name. */
  publish(): void;
  /** Deletes the log if it was not published. */
  close(): void;
}

const CHUNK = 64 * 1024;
/** Enough to see why a test failed. */
const LAST_CHARS = 1500;
const LAST_LINES = 12;

export function openOutputLog(file: string, redactor: Redactor, maxBytes: number): OutputLog {
  makeFolders(path.dirname(file));
  const beside = openBeside(file);
  let fd: number | null = beside.fd;
  const put = (text: string) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd!, bytes, at);
  };
  return {
    add(headline, from) {
      put(`=== ${redactor.redact(headline)}\n`);
      let last = '';
      const tell = (text: string) => {
        put(text);
        last = (last + text).slice(-LAST_CHARS);
      };
      const omitted = eachChunk(from, redactor, maxBytes, tell);
      if (last !== '' && !last.endsWith('\n')) put('\n');
      if (omitted > 0) put(`=== ${omitted} more bytes are omitted\n`);
      return cutStacks(last.trim().split('\n')).slice(-LAST_LINES).join('\n');
    },
    publish() {
      closeSync(fd!);
      fd = null;
      takePlace(beside.temporary, file, 'set_aside');
    },
    close() {
      if (fd !== null) closeSync(fd);
      rmSync(beside.temporary, { force: true });
    },
  };
}

/** @returns the number of omitted bytes; 0 for a missing file. */
function eachChunk(file: string, redactor: Redactor, maxBytes: number, tell: (text: string) => void): number {
  let source: number;
  try {
    source = openRegular(file);
  } catch {
    return 0;
  }
  try {
    const { size } = fstatSync(source);
    const stream = createStreamRedactor(redactor);
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; at < maxBytes; ) {
      const read = readSync(source, buffer, 0, Math.min(CHUNK, maxBytes - at), at);
      if (read === 0) break;
      at += read;
      tell(stream.write(decoder.write(buffer.subarray(0, read))));
    }
    tell(stream.write(decoder.end()) + stream.end());
    return Math.max(0, size - maxBytes);
  } finally {
    closeSync(source);
  }
}
