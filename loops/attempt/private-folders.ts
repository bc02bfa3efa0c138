// Which folders are of our own making: their names may come from a file that an agent could have written.

import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { OVERLAY_FOLDERS } from '../../policies/facts/private-names.ts';

export type PrivateFolderKind = 'attempt' | 'temporary' | 'overlay';

/** `strange` is another's, a link, or bears a name that we never give: it is neither read nor removed. */
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

/** What of that by which a call is judged is no regular file, though all that we put there is; null for a sound attempt. */
export function strangeFileIn(attempt: string): string | null {
  return FILES.find((name) => isNoFile(path.join(attempt, name))) ?? null;
}

/** Without its prompt, its stderr or its count an answer is an answer all the same. */
const FILES = ['attempt.json', 'stdout'];

function isNoFile(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}

/** Nothing is done to one that is absent or strange. @returns whether it was there, and is gone. */
export function removePrivateFolder(what: PrivateFolderKind, folder: string): boolean {
  if (lookAtFolder(what, folder) !== 'ours') return false;
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    // A tool may have left something read-only; what is kept there is worth nothing.
    return false;
  }
}

const OVERLAYS = Object.values(OVERLAY_FOLDERS).flatMap((begins) => begins ?? []);

/** As `mkdtemp` ends them, and as a call's id goes. */
const NAMES: Record<PrivateFolderKind, RegExp> = {
  attempt: /\/\.tollgate-\d{14}-[0-9a-f]{8}$/,
  temporary: /\/tg-(?:[0-9a-f]{8}-)?[A-Za-z0-9]{6}$/,
  overlay: new RegExp(`/tollgate/(?:${OVERLAYS.join('|')})[A-Za-z0-9]{6}$`),
};
