// The lines of a session file as the CLI reads them: where they lie is found once, each one is read when it is asked for.

import { closeSync, lstatSync, readSync } from 'node:fs';
import { openRegular } from '../../regular-file.ts';
import { openLines } from '../../sessions/line-table.ts';
import { SessionFileError } from '../../sessions/store.ts';

export interface Lines {
  /** The last one may lack its newline, if it is whole without it. */
  count: number;
  bytes: number;
  /** The file ends within a line. */
  unfinished: boolean;
  head(i: number): string;
  text(i: number): string;
}

/** Enough for a message's id, time and type, and the first letters of what it says. */
const HEAD_BYTES = 160;

/** No descriptor stays open. Throws SessionFileError for what is no regular file or cannot be read. */
export function indexLines(file: string): Lines {
  return attempt(file, () => {
    if (!lstatSync(file).isFile()) throw new Error('is no regular file');
    const table = openLines(file, HEAD_BYTES);
    table.close();
    const { bytes } = table;
    const end = table.offset(table.count);
    const tail = end < bytes ? readSpan(file, end, bytes) : '';
    const whole = isWhole(tail);
    return {
      count: table.count + (whole ? 1 : 0),
      bytes,
      unfinished: end < bytes,
      head: (i) => (i < table.count ? table.head(i) : Buffer.from(tail.slice(0, HEAD_BYTES)).toString('latin1')),
      text: (i) => (i < table.count ? readSpan(file, table.offset(i), table.offset(i + 1)) : tail),
    };
  });
}

/** A writer that was cut off right before the newline has written a record all the same. */
function isWhole(tail: string): boolean {
  try {
    return tail !== '' && typeof JSON.parse(tail) === 'object';
  } catch {
    return false;
  }
}

function readSpan(file: string, from: number, to: number): string {
  return attempt(file, () => {
    const fd = openRegular(file);
    try {
      const bytes = Buffer.allocUnsafe(to - from);
      for (let read = 0; read < bytes.length; ) {
        const length = readSync(fd, bytes, read, bytes.length - read, from + read);
        if (length === 0) throw new Error('became shorter while it was read');
        read += length;
      }
      return bytes.toString('utf8');
    } finally {
      closeSync(fd);
    }
  });
}

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SessionFileError) throw error;
    throw new SessionFileError(file, (error as Error).message);
  }
}
