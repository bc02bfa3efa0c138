// Checks the folder in which a task's CLIs run: it must exist, and be in the project unless the workspace is trusted.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../state/disk/real-path.ts';
import { isSystemError } from '../../state/system-error.ts';

interface WorkingFolder {
  /** As the manifest has it. */
  cwd: string | undefined;
  /** The manifest, for the message. */
  manifest: string;
  /** The folder to which it is relative: the project's root, or the task's worktree. */
  root: string;
  trust: 'trusted' | 'untrusted';
}

/** Describes what is wrong with the folder before any call is paid; null if nothing is wrong. */
export function workingFolderMistake({ cwd, manifest, root, trust }: WorkingFolder): string | null {
  if (cwd === undefined) return null;
  const folder = path.resolve(root, cwd);
  const said = `${manifest}: cwd: "${cwd}"`;
  try {
    // The path is checked before the disk is read: a stranger's manifest must not learn what exists elsewhere.
    const real = isWithin(root, folder) ? realpathSync.native(folder) : folder;
    if (trust === 'untrusted' && !isWithin(realpathSync.native(root), real) && !isWithin(root, real))
      return `${said} leads out of the project (${root}); name a folder in it, or say --trust-workspace if you trust this task`;
    return statSync(folder).isDirectory() ? null : `${said} is no folder (${folder}); name one, from ${root}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be used (${error.code})`;
    return `${said} ${why} (${folder}); make it, or name another folder, from ${root}`;
  }
}
