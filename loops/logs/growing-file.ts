// The lines of a file that another process writes: those that are whole, as they come.

import { closeSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

/** Of a longer line only the beginning is read. */
const MAX_LINE = 1024 * 1024;
const PIECE = 64 * 1024;

export interface GrowingFile {
  path: string;
  /** What is new since the last look. @param last whether a line without an end is one, too, for nothing more will come. */
  read(last: boolean): string[];
}

/** A file that is not there yet has no lines. */
export function growingFile(path: string): GrowingFile {
  let at = 0;
  let rest = Buffer.alloc(0);
  return {
    path,
    read(last) {
      const lines: string[] = [];
      const fd = openOrNull(path);
      if (fd !== null)
        try {
          const piece = Buffer.alloc(PIECE);
          for (let taken = readSync(fd, piece, 0, PIECE, at); taken > 0; taken = readSync(fd, piece, 0, PIECE, at)) {
            at += taken;
            rest = Buffer.concat([rest, piece.subarray(0, taken)]);
            for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
              lines.push(rest.toString('utf8', 0, Math.min(end, MAX_LINE)));
              rest = rest.subarray(end + 1);
            }
            if (rest.length > MAX_LINE + PIECE) rest = rest.subarray(0, MAX_LINE);
          }
        } finally {
          closeSync(fd);
        }
      if (last && rest.length > 0) {
        lines.push(rest.toString('utf8'));
        rest = Buffer.alloc(0);
      }
      return lines;
    },
  };
}

function openOrNull(path: string): number | null {
  try {
    return openRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
