// Opens a file of lines as one CLI's session, or says what is wrong with it.

import { type LineTable, openLines } from './line-table.ts';
import { type SessionFile, SessionFileError } from './store.ts';

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
    throw new SessionFileError(file, NO_FILE.has(code) ? 'it is no regular file' : `it cannot be read (${code})`);
  }
}

/** A link, a FIFO, a socket; a folder. */
const NO_FILE = new Set(['EINVAL', 'ELOOP', 'ENXIO', 'EISDIR']);
