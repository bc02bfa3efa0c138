// The lines of a file that bears their hash in its first line, a piece at a time: as one they would be most of the memory of whoever goes through them.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from './disk/regular-file.ts';

export interface KeptLines {
  /** The line that is looked at lies between `at` and `end` of these bytes, its newline in it, until `next` is called. */
  bytes: Buffer;
  at: number;
  /** Where `at` is, when there are no more. */
  end: number;
  /** Of `bytes` in the file. */
  offset: number;
  next(): void;
  /** From there to there in the file, each piece good until the next. Throws where they are not there any more. */
  pieces(from: number, to: number): Generator<Buffer>;
  close(): void;
}

/** What is kept under that word: its hash, and then its lines. */
export const headOf = (word: string, hash: string): string => `${word} ${hash}\n`;

/** The hash of no lines, by which room is made for another one. */
export const NO_HASH = '0'.repeat(64);

const PIECE_BYTES = 256 * 1024;

/** null for one that is not there, too large, kept under another word, or damaged. */
export function openKeptLines(file: string, word: string, maxBytes: number): KeptLines | null {
  let fd: number | null = null;
  try {
    fd = openRegular(file);
    const lines = fstatSync(fd).size > maxBytes ? null : linesIn(fd, word);
    if (lines === null) closeSync(fd);
    return lines;
  } catch {
    if (fd !== null) closeSync(fd);
    return null;
  }
}

function linesIn(fd: number, word: string): KeptLines | null {
  const { size } = fstatSync(fd);
  const start = headOf(word, NO_HASH).length;
  const head = Buffer.alloc(start);
  if (readSync(fd, head, 0, start, 0) < start) return null;
  const hash = createHash('sha256');
  for (const piece of piecesOf(fd, start, size)) hash.update(piece);
  if (head.toString('latin1') !== headOf(word, hash.digest('hex'))) return null;
  /** As far as it is read; and where the file ends, which somebody may have cut meanwhile. */
  let filled = 0;
  let last = size;
  const lines: KeptLines = {
    bytes: Buffer.allocUnsafeSlow(PIECE_BYTES),
    at: 0,
    end: 0,
    offset: start,
    next() {
      lines.at = lines.end;
      while (newline() === -1 && lines.offset + filled < last) more();
      // Without its end it is no line of ours.
      lines.end = newline() === -1 ? lines.at : newline() + 1;
    },
    pieces: (from, to) => piecesOf(fd, from, to),
    close: () => closeSync(fd),
  };
  const newline = () => {
    const found = lines.bytes.indexOf(NEWLINE, lines.at);
    return found < filled ? found : -1;
  };
  /** What was looked at is over; a line that fills all of it gets more room. */
  const more = () => {
    const rest = lines.bytes.subarray(lines.at, filled);
    const room = rest.length === lines.bytes.length ? Buffer.allocUnsafeSlow(2 * rest.length) : lines.bytes;
    rest.copy(room);
    const offset = lines.offset + lines.at;
    const from = offset + rest.length;
    const read = readSync(fd, room, rest.length, Math.min(room.length - rest.length, last - from), from);
    if (read === 0) last = from;
    filled = rest.length + read;
    Object.assign(lines, { bytes: room, at: 0, end: 0, offset });
  };
  lines.next();
  return lines;
}

/** Of an open file, each piece good until the next. Throws where it ends before that. */
export function* piecesOf(fd: number, from: number, to: number): Generator<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(to - from, 1)));
  for (let at = from; at < to; ) {
    const read = readSync(fd, bytes, 0, Math.min(bytes.length, to - at), at);
    if (read === 0) throw Object.assign(new Error('it was cut while it was read'), { code: 'EIO', syscall: 'read' });
    yield bytes.subarray(0, read);
    at += read;
  }
}

const NEWLINE = 0x0a;
