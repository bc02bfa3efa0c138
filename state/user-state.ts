// Locates what belongs to the user and to no project: running calls, and the edits of conversations.

import path from 'node:path';
import { isFolder } from './disk/regular-file.ts';

/** @returns null for a user without a home, or whose home is missing: we must not make it. */
export function userState({ XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string | null {
  const base = XDG_STATE_HOME || (HOME ? path.join(HOME, '.local/state') : '');
  if (!path.isAbsolute(base)) return null;
  const isInHome = HOME !== undefined && path.isAbsolute(HOME) && base.startsWith(`${path.resolve(HOME)}/`);
  return isFolder(isInHome ? HOME : path.dirname(base)) ? path.join(base, 'tollgate') : null;
}
