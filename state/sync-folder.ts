// Syncs the entries of a folder: only then is a file that was synced and renamed found after a power loss.

import { closeSync, constants, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { named } from './append-line.ts';

/** Throws what the operating system throws. A file system that cannot sync folders promises nothing, which is not an error. */
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
