// Reads the complete lines of a file while another process writes it.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

/** Of a longer line, only the beginning is read. */
const MAX_LINE = 1024 * 1024;
const PIECE = 64 * 1024;
/** The maximum per read: a flood of lines neither fills the memory nor blocks other work. */
const MOST_AT_ONCE = 1024 * 1024;

export interface GrowingFile {
  /** Returns the name under which the file was found; until then, the last of the names. */
  path(): string;
  /**
   * Returns the new lines since the last read, or the next part of them.
   * @param last whether an incomplete line counts too, because nothing more will be written.
   */
  read(last: boolean): string[];
  /** Whether the last read left data unread. */
  isBehind(): boolean;
  /** Closes the file; a second call does nothing. */
  close(): void;
}

/**
 * A file that does not exist yet has no lines. It is opened once. It is read again from the start if it is now shorter than what
 * was read, because it then has other lines.
 * @param names the first that exists is read
 */
export function growingFile(names: readonly string[]): GrowingFile {
  let at = 0;
  let line: Buffer[] = [];
  let held = 0;
  let isBehind = false;
  let opened: Opened | null = null;
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
      // If a CLI is started again because it refused a flag, it begins its files again.
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
