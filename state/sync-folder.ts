// Puts the names in a folder on disk: a file that was synced and renamed is found after a loss of power only then.

import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { named } from './append-line.ts';

/** Throws what the operating system throws; a file system that cannot sync folders promises nothing, and is no error. */
export function syncFolder(folder: string): void {
  // What is no folder any more is refused, and never waited for.
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK);
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!CANNOT.has((error as NodeJS.ErrnoException).code ?? '')) throw named(folder, error);
  } finally {
    closeSync(fd);
  }
}

const CANNOT: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
