// Counts the lines of a file, up to a limit.

import { closeSync, readSync } from 'node:fs';
import { openFollowed } from '../../state/disk/regular-file.ts';

const CHUNK = 256 * 1024;
/** An endless file must not block the wait. */
const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Text after the last line end counts as a line. A missing file has none. */
export function countLines(file: string, enough: number): number {
  let fd: number;
  try {
    fd = openFollowed(file);
  } catch {
    return 0;
  }
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    let lines = 0;
    let last = NEWLINE;
    let bytes = 0;
    for (let read = readSync(fd, buffer); read > 0 && lines < enough; read = readSync(fd, buffer)) {
      const chunk = buffer.subarray(0, read);
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
      last = chunk[read - 1]!;
      bytes += read;
      if (bytes >= MAX_BYTES) break;
    }
    return Math.min(enough, lines + (last === NEWLINE ? 0 : 1));
  } finally {
    closeSync(fd);
  }
}
