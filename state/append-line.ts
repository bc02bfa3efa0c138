// Appends whole lines to an open file in one write, and syncs the entries of a folder.

import { closeSync, constants, fstatSync, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** @param fd opened for reading and appending. Throws when the line could not be written whole. */
export const appendLine = (fd: number, file: string, value: object): void =>
  appendText(fd, file, `${JSON.stringify(value)}\n`);

/** The same for whole lines of any text. */
export function appendText(fd: number, file: string, text: string): void {
  const { length, written } = naming(file, () => {
    // A crash may have cut the last line short; an empty line does no harm.
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

/**
 * Only then is a file that was synced and renamed found after a power loss.
 * Throws what the operating system throws. A file system that cannot sync folders promises nothing, which is not an error.
 */
export function syncFolder(folder: string): void {
  const fd = openFolder(folder);
  try {
    fsyncSync(fd);
  } catch (error) {
    throwUnlessUnable(folder, error);
  } finally {
    closeSync(fd);
  }
}

/** The same, for a process with other work meanwhile. */
export async function syncFolderMeanwhile(folder: string): Promise<void> {
  const fd = openFolder(folder);
  try {
    await synced(fd);
  } catch (error) {
    throwUnlessUnable(folder, error);
  } finally {
    closeSync(fd);
  }
}

const synced = promisify(fsync);

/** Refuses what is no longer a folder, and never blocks on it. */
const openFolder = (folder: string): number =>
  openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK);

function throwUnlessUnable(folder: string, error: unknown): void {
  if (!CANNOT.has((error as NodeJS.ErrnoException).code ?? '')) throw named(folder, error);
}

const CANNOT: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
