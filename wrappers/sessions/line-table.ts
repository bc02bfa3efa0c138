// Where the lines of a large file lie: found by bytes, read one by one, so that 100 MB cost neither their parsing nor their memory.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular, tooLarge } from '../../state/disk/regular-file.ts';
import { type SessionFile, SessionFileError } from './store.ts';

export interface LineTable {
  /** Lines that end with a newline; what follows the last one is half a line of a writer that was cut off. */
  count: number;
  /** Byte at which line `i` (from 0) begins; for `count`, where the last whole line ends. */
  offset(i: number): number;
  /** The first bytes of a line, as latin1 text: enough to tell its kind. */
  head(i: number): string;
  /** The whole line, without its newline. Reads the file; throws SessionFileError where that is not what it was. */
  text(i: number): string;
  /** The same as bytes, which are good until the next line is read. */
  raw(i: number): Buffer;
  /** Of the file as it was looked at. */
  bytes: number;
}

/** What was read while the file is open. If the lines are read one after another, some are read ahead. */
interface Window {
  at: number;
  bytes: Buffer;
}

const WINDOW_BYTES = 256 * 1024;
const NEAR_BYTES = 4096;
const CHUNK_BYTES = 1024 * 1024;
/** Several times the largest that is known. */
const MAX_BYTES = 512 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * No descriptor stays open: no caller closes a conversation, and a dispatcher looks at thousands. Throws what the
 * operating system throws, and EINVAL for what is no regular file. @param headBytes how much of each line's beginning is kept.
 */
export function openLines(file: string, headBytes = 160): LineTable {
  let window: Window | null = null;
  let last = 0;
  const opened = openForNow(file, () => {
    window = null;
  });
  const { size } = fstatSync(opened());
  if (size > MAX_BYTES) throw tooLarge(file, size, MAX_BYTES);
  const { starts, heads } = scan(opened(), size, headBytes);
  const raw = (i: number): Buffer => {
    const [from, to] = [starts[i]!, starts[i + 1]! - 1];
    const fd = opened();
    if (window === null || from < window.at || to > window.at + window.bytes.length) {
      const ahead = Math.abs(from - last) < NEAR_BYTES ? Math.min(WINDOW_BYTES, size - from) : 0;
      const bytes = Buffer.allocUnsafe(Math.max(to - from, ahead));
      if (!readWhole(fd, bytes, from)) throw changed(file);
      window = { at: from, bytes };
    }
    last = to;
    return window.bytes.subarray(from - window.at, to - window.at);
  };
  return {
    count: heads.length,
    bytes: size,
    offset: (i) => starts[i]!,
    head: (i) => heads[i]!,
    text: (i) => raw(i).toString(),
    raw,
  };
}

/** Its descriptor, which is closed at the first pause in reading. Opened again, it must be the same file. */
function openForNow(file: string, closed: () => void): () => number {
  let fd: number | null = null;
  let inode: number | null = null;
  return () => {
    if (fd !== null) return fd;
    const found = openRegular(file);
    const { ino } = fstatSync(found);
    inode ??= ino;
    if (ino !== inode) {
      closeSync(found);
      throw changed(file);
    }
    fd = found;
    queueMicrotask(() => {
      closeSync(found);
      fd = null;
      closed();
    });
    return found;
  };
}

const changed = (file: string) => new SessionFileError(file, 'it was changed while it was read');

function scan(fd: number, size: number, headBytes: number): { starts: number[]; heads: string[] } {
  const starts = [0];
  const heads: string[] = [];
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let head = '';
  for (let at = 0; at < size; ) {
    const length = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, size - at), at);
    if (length === 0) break;
    for (let from = 0; from < length; ) {
      const found = chunk.indexOf(NEWLINE, from);
      const end = found === -1 || found >= length ? length : found;
      if (head.length < headBytes)
        head += chunk.toString('latin1', from, Math.min(end, from + headBytes - head.length));
      if (end === length) break;
      heads.push(head);
      starts.push(at + end + 1);
      head = '';
      from = end + 1;
    }
    at += length;
  }
  return { starts, heads };
}

/** @returns false where the file ends before. */
function readWhole(fd: number, into: Buffer, at: number): boolean {
  for (let read = 0; read < into.length; ) {
    const length = readSync(fd, into, read, into.length - read, at + read);
    if (length === 0) return false;
    read += length;
  }
  return true;
}

/** @param whatIsWrong with the first line; null if nothing is. Throws SessionFileError. */
export function openSessionLines(
  { file }: SessionFile,
  headBytes: number,
  whatIsWrong: (firstLine: string) => string | null,
): LineTable {
  const table = open(file, headBytes);
  const wrong = table.bytes === 0 ? 'it is empty' : whatIsWrong(table.count === 0 ? '' : table.text(0));
  if (wrong !== null) throw new SessionFileError(file, wrong);
  return table;
}

function open(file: string, headBytes: number): LineTable {
  try {
    return openLines(file, headBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SessionFileError(file, NO_FILE.has(code) ? 'it is not a regular file' : `it cannot be read (${code})`);
  }
}

/** A link, a FIFO, a socket; a folder. */
const NO_FILE = new Set(['EINVAL', 'ELOOP', 'ENXIO', 'EISDIR']);
