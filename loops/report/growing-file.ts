// Reads the complete lines of a file while another process writes it.

import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

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
  let line: Buffer[] = [];
  let held = 0;
  let isBehind = false;
  let opened: Opened | null = null;
  let missed: Missed = { bytes: 0, beganAgain: false };
  /** Whether the rest of a line is left out whose beginning was. */
  let isWithin = false;
  const hold = (part: Buffer) => {
    const kept = part.subarray(0, MAX_LINE - held);
    // Copied, because the buffer is used again.
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
      if (isWithin) isWithin = false;
      else if (held === 0) lines.push(piece.toString('utf8', from, end));
      else {
        hold(piece.subarray(from, end));
        lines.push(whole());
      }
      from = end + 1;
    }
    if (!isWithin) hold(piece.subarray(from));
    return lines;
  };
  const from = (start: number) => {
    at = start;
    line = [];
    held = 0;
    isWithin = false;
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
      const lines: string[] = [];
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
