// The lines of a file that another process writes: those that are whole, as they come.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

/** Of a longer line only the beginning is read. */
const MAX_LINE = 1024 * 1024;
const PIECE = 64 * 1024;
/** So much is taken at a look: a flood of lines neither fills the memory nor keeps anybody from a word. */
const MOST_AT_ONCE = 1024 * 1024;

export interface GrowingFile {
  /** Which of its names it was found under; the last of them until then. */
  path(): string;
  /** What is new since the last look, or the next part of it. @param last whether a line without an end is one, too, for nothing more will come. */
  read(last: boolean): string[];
  /** Whether the last look left something that was there. */
  isBehind(): boolean;
  /** Lets go of the file; again does nothing. */
  close(): void;
}

/**
 * A file that is not there yet has no lines. It is opened once, and read anew where it was cut to less than was read: what takes its place, or its name, has other lines.
 * @param names of which the first that is there is read
 */
export function growingFile(names: readonly string[]): GrowingFile {
  let at = 0;
  let line: Buffer[] = [];
  let held = 0;
  let isBehind = false;
  let opened: Opened | null = null;
  const hold = (part: Buffer) => {
    const kept = part.subarray(0, MAX_LINE - held);
    // A copy: the piece is read into again.
    if (kept.length > 0) line.push(Buffer.from(kept));
    held += kept.length;
  };
  const whole = (): string => {
    const text = Buffer.concat(line).toString('utf8');
    line = [];
    held = 0;
    return text;
  };
  const linesIn = (piece: Buffer): string[] => {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, from)) {
      if (held === 0) lines.push(piece.toString('utf8', from, end));
      else {
        hold(piece.subarray(from, end));
        lines.push(whole());
      }
      from = end + 1;
    }
    hold(piece.subarray(from));
    return lines;
  };
  return {
    path: () => opened?.name ?? names.at(-1)!,
    isBehind: () => isBehind,
    close() {
      if (opened !== null) closeSync(opened.fd);
      opened = null;
    },
    read(last) {
      const lines: string[] = [];
      opened ??= openFirst(names);
      isBehind = opened !== null;
      // A CLI that is started once more, since it refused a flag, begins its files anew.
      if (opened !== null && fstatSync(opened.fd).size < at) {
        at = 0;
        line = [];
        held = 0;
      }
      const piece = Buffer.alloc(PIECE);
      for (let taken = 0; isBehind && taken < MOST_AT_ONCE; taken += PIECE) {
        const count = readSync(opened!.fd, piece, 0, PIECE, at);
        at += count;
        for (const text of linesIn(piece.subarray(0, count))) lines.push(text);
        isBehind = count > 0;
      }
      if (last && !isBehind && held > 0) lines.push(whole());
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
