// Puts the names in a folder on disk: a file that was synced and renamed is found after a loss of power only then.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { named } from './line.ts';

/** Throws what the operating system throws; a file system that cannot sync folders promises nothing, and is no error. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!CANNOT.has((error as NodeJS.ErrnoException).code ?? '')) throw named(folder, error);
  } finally {
    closeSync(fd);
  }
}

const CANNOT: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
