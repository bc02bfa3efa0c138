// Where the lines of a large file lie: found by bytes, read one by one, so that 100 MB cost neither their parsing nor their memory.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../regular-file.ts';

export interface LineTable {
  /** Lines that end with a newline; what follows the last one is half a line of a writer that was cut off. */
  count: number;
  /** Byte at which line `i` (from 0) begins; for `count`, where the last whole line ends. */
  offset(i: number): number;
  /** The first bytes of a line, as latin1 text: enough to tell its kind. */
  head(i: number): string;
  /** The whole line, without its newline. Reads the file. */
  text(i: number): string;
  /** Of the file as it was opened. */
  bytes: number;
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Keeps the file open until `close`. Throws what the operating system throws, and EINVAL for what is no regular file. @param headBytes how much of each line's beginning is kept. */
export function openLines(file: string, headBytes = 160): LineTable {
  const fd = openRegular(file);
  try {
    const { size } = fstatSync(fd);
    const { starts, heads } = scan(fd, size, headBytes);
    const end = (i: number) => starts[i + 1]! - 1;
    return {
      count: heads.length,
      bytes: size,
      offset: (i) => starts[i]!,
      head: (i) => heads[i]!,
      text: (i) => {
        const bytes = Buffer.allocUnsafe(end(i) - starts[i]!);
        readWhole(fd, bytes, starts[i]!);
        return bytes.toString('utf8');
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

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

function readWhole(fd: number, into: Buffer, at: number): void {
  for (let read = 0; read < into.length; ) {
    const length = readSync(fd, into, read, into.length - read, at + read);
    if (length === 0) throw new Error('the file became shorter while it was read');
    read += length;
  }
}
