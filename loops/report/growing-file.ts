// Reads the complete lines of a file while another process writes it.

import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegular } from '../../state/disk/regular-file.ts';
import { createLineSplitter } from '../../wrappers/line-splitter.ts';

/** Of a longer line, only the beginning is read. */
const MAX_LINE = 1024 * 1024;
const PIECE = 64 * 1024;
/** The maximum per read: a flood of lines neither fills the memory nor blocks other work. */
const MOST_AT_ONCE = 1024 * 1024;

export interface GrowingFile {
  /** Returns the name under which the file was found; until then, the last of the names. */
  path(): string;
  /** The new lines since the last read, or a part of them. @param last: an incomplete line counts too. */
  read(last: boolean): string[];
  /** What the last read did not return: the bytes that it left out, and whether the file had begun again. */
  missed(): Missed;
  /** Whether the last read left data unread. */
  isBehind(): boolean;
  /** Closes the file; a second call does nothing. */
  close(): void;
}

export interface Missed {
  bytes: number;
  beganAgain: boolean;
}

/**
 * A file that does not exist yet has no lines. It is read again from the start if it is now shorter than what was read, or if its
 * name now has another file, because it then has other lines.
 * @param names the first that exists is read
 * @param most of what is unread, only so many bytes at its end are read.
 */
export function growingFile(names: readonly string[], most = Number.POSITIVE_INFINITY): GrowingFile {
  let at = 0;
  let lines: string[] = [];
  let isBehind = false;
  let opened: Opened | null = null;
  let missed: Missed = { bytes: 0, beganAgain: false };
  /** Whether the rest of a line is left out whose beginning was. */
  let isWithin = false;
  const split = () => {
    const decoder = new StringDecoder('utf8');
    const splitter = createLineSplitter(MAX_LINE, 'all', (line) => {
      if (!isWithin) lines.push(line);
      isWithin = false;
    });
    return { decoder, splitter };
  };
  let { decoder, splitter } = split();
  const from = (start: number) => {
    at = start;
    isWithin = false;
    ({ decoder, splitter } = split());
  };
  return {
    path: () => opened?.name ?? names.at(-1)!,
    isBehind: () => isBehind,
    missed: () => missed,
    close() {
      if (opened !== null) closeSync(opened.fd);
      opened = null;
    },
    read(last) {
      lines = [];
      const isOther = opened !== null && hasOther(opened);
      if (isOther) closeSync(opened!.fd);
      if (isOther) opened = null;
      opened ??= openFirst(names);
      isBehind = opened !== null;
      const size = opened === null ? 0 : fstatSync(opened.fd).size;
      // If a CLI is started again because it refused a flag, it begins its files again.
      missed = { bytes: 0, beganAgain: at > 0 && (isOther || size < at) };
      if (missed.beganAgain) from(0);
      if (size - at > most) {
        missed.bytes = size - most - at;
        from(size - most);
        isWithin = true;
      }
      const piece = Buffer.alloc(PIECE);
      for (let taken = 0; isBehind && taken < MOST_AT_ONCE; taken += PIECE) {
        const count = readSync(opened!.fd, piece, 0, PIECE, at);
        at += count;
        splitter.push(decoder.write(piece.subarray(0, count)));
        isBehind = count > 0;
      }
      if (last && !isBehind) {
        splitter.push(decoder.end());
        splitter.end();
      }
      return lines;
    },
  };
}

interface Opened {
  name: string;
  fd: number;
}

/** Whether the name now has another file. A file that has lost its name is read to its end. */
function hasOther({ name, fd }: Opened): boolean {
  const found = lstatSync(name, { throwIfNoEntry: false });
  return found?.isFile() === true && found.ino !== fstatSync(fd).ino;
}

/** Returns null if none exists, or if only irregular files exist. */
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
