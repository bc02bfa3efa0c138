// The lines of a session file, which is read once: a conversation stays what it was when it was opened.

import { readRegularBytes } from '../../state/disk/regular-file.ts';
import { type Fields, readRecord } from './record.ts';
import { type SessionFile, SessionFileError } from './store.ts';

export interface LineTable {
  /** Lines that end with a newline; what follows the last one is half a line of a writer that was cut off. */
  count: number;
  /** Byte at which line `i` (from 0) begins; for `count`, where the last whole line ends. */
  offset(i: number): number;
  /** The whole line, without its newline; for `count`, the half line. */
  text(i: number): string;
  /** The line as a record; null if it is none. */
  record(i: number): Fields | null;
  /** Of the whole file. */
  bytes: number;
}

/** Several times the largest that is known. */
const MAX_BYTES = 512 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Throws what the operating system throws, and EINVAL for what is no regular file. */
export function openLines(file: string): LineTable {
  const bytes = readRegularBytes(file, MAX_BYTES);
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  const count = starts.length - 1;
  const text = (i: number) => bytes.toString('utf8', starts[i]!, i < count ? starts[i + 1]! - 1 : bytes.length);
  return { count, bytes: bytes.length, offset: (i) => starts[i]!, text, record: (i) => readRecord(text(i)) };
}

/** @param whatIsWrong with the first line; null if nothing is. Throws SessionFileError. */
export function openSessionLines(
  { file }: SessionFile,
  whatIsWrong: (first: Fields | null) => string | null,
): LineTable {
  const table = open(file);
  const wrong = table.bytes === 0 ? 'it is empty' : whatIsWrong(table.count === 0 ? null : table.record(0));
  if (wrong !== null) throw new SessionFileError(file, wrong);
  return table;
}

function open(file: string): LineTable {
  try {
    return openLines(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SessionFileError(file, NO_FILE.has(code) ? 'it is not a regular file' : `it cannot be read (${code})`);
  }
}

/** A link, a FIFO, a socket; a folder. */
const NO_FILE = new Set(['EINVAL', 'ELOOP', 'ENXIO', 'EISDIR']);
