// Recognises the folders that we made: their names may come from a file that an agent could have written.

import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { OVERLAY_FOLDERS } from '../../policies/facts/file-names.ts';

export type PrivateFolderKind = 'attempt' | 'temporary' | 'overlay';

/** `strange`: it belongs to another user, is a link, or has a name that we never use. It is neither read nor removed. */
export function lookAtFolder(what: PrivateFolderKind, folder: string): 'ours' | 'absent' | 'strange' {
  if (path.resolve(folder) !== folder || !NAMES[what].test(folder)) return 'strange';
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() ? 'ours' : 'strange';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'strange';
  }
}

/**
 * Finds a file that the classification needs but that is not a regular file, although we make only those; null if all are sound.
 */
export function strangeFileIn(attempt: string): string | null {
  return FILES.find((name) => isNoFile(path.join(attempt, name))) ?? null;
}

/** An answer is valid even if its prompt, its stderr or its token count is missing. */
const FILES = ['attempt.json', 'stdout'];

function isNoFile(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}

/** Does nothing to a folder that is absent or strange. @returns whether it was there, and is gone. */
export function removePrivateFolder(what: PrivateFolderKind, folder: string): boolean {
  if (lookAtFolder(what, folder) !== 'ours') return false;
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    // A tool may have left a read-only file; nothing there is worth keeping.
    return false;
  }
}

const OVERLAYS = Object.values(OVERLAY_FOLDERS).flatMap((begins) => begins ?? []);

/** The endings are those of `mkdtemp`, or call ids. */
const NAMES: Record<PrivateFolderKind, RegExp> = {
  attempt: /\/\.tollgate-\d{14}-[0-9a-f]{8}$/,
  temporary: /\/tg-(?:[0-9a-f]{8}-)?[A-Za-z0-9]{6}$/,
  overlay: new RegExp(`/tollgate/(?:${OVERLAYS.join('|')})[A-Za-z0-9]{6}$`),
};
