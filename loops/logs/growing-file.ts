// The lines of a file that another process writes: those that are whole, as they come.

import { closeSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

/** Of a longer line only the beginning is read. */
const MAX_LINE = 1024 * 1024;
const PIECE = 64 * 1024;

export interface GrowingFile {
  /** Which of its names it was found under; the last of them until then. */
  path(): string;
  /** What is new since the last look. @param last whether a line without an end is one, too, for nothing more will come. */
  read(last: boolean): string[];
  /** Lets go of the file; again does nothing. */
  close(): void;
}

/**
 * A file that is not there yet has no lines. It is opened once: what takes its place, or its name, has other lines.
 * @param names of which the first that is there is read
 */
export function growingFile(names: readonly string[]): GrowingFile {
  let at = 0;
  let rest = Buffer.alloc(0);
  let opened: Opened | null = null;
  return {
    path: () => opened?.name ?? names.at(-1)!,
    close() {
      if (opened !== null) closeSync(opened.fd);
      opened = null;
    },
    read(last) {
      const lines: string[] = [];
      opened ??= openFirst(names);
      if (opened !== null) {
        const { fd } = opened;
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
      }
      if (last && rest.length > 0) {
        lines.push(rest.toString('utf8'));
        rest = Buffer.alloc(0);
      }
      return lines;
    },
  };
}

interface Opened {
  name: string;
  fd: number;
}

/** null where none is there, or only what is no regular file. */
function openFirst(names: readonly string[]): Opened | null {
  for (const name of names)
    try {
      return { name, fd: openRegular(name) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EINVAL') throw error;
    }
  return null;
}
