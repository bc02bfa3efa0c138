// Counts a file's lines, no further than is asked for.

import { closeSync, readSync } from 'node:fs';
import { openFollowed } from '../../state/disk/regular-file.ts';

const CHUNK = 256 * 1024;
/** Nobody waits for so many lines; a file without any end must not keep us. */
const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Text behind the last line end is a line too. A file that is not there has none. */
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
