// Appends one line of JSON to an open file in one write, on a fresh line if a crash cut the last one short.

import { fstatSync, readSync, writeSync } from 'node:fs';

/** @param fd opened for reading and appending. Throws when the line could not be written whole. */
export const appendLine = (fd: number, file: string, value: object): void =>
  appendText(fd, file, `${JSON.stringify(value)}\n`);

/** The same for whole lines of any text. */
export function appendText(fd: number, file: string, text: string): void {
  const { length, written } = naming(file, () => {
    // An empty line does no harm.
    const bytes = Buffer.from(`${endsFresh(fd) ? '' : '\n'}${text}`);
    return { length: bytes.length, written: writeSync(fd, bytes) };
  });
  if (written === length) return;
  const message = `${file}: only ${written} of ${length} bytes could be written; free some disk space`;
  throw Object.assign(new Error(message), { code: 'ENOSPC' });
}

/** The system's error for a descriptor does not name the file. */
export function naming<T>(file: string, does: () => T): T {
  try {
    return does();
  } catch (error) {
    throw named(file, error);
  }
}

export function named(file: string, error: unknown): unknown {
  if (error instanceof Error && !error.message.includes(file)) error.message += ` '${file}'`;
  return error;
}

function endsFresh(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}
