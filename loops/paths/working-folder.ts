// The folder in which a task's CLIs run: it is there, and lies in the project, unless the workspace is trusted.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../state/disk/real-path.ts';
import { isSystemError } from '../../state/system-error.ts';

interface WorkingFolder {
  /** As the manifest has it. */
  cwd: string | undefined;
  /** The manifest, for the message. */
  manifest: string;
  /** What it is relative to: the project's root, or the task's worktree. */
  root: string;
  trust: 'trusted' | 'untrusted';
}

/** What is wrong with it, found before anything is paid; null where nothing is. */
export function workingFolderMistake({ cwd, manifest, root, trust }: WorkingFolder): string | null {
  if (cwd === undefined) return null;
  const folder = path.resolve(root, cwd);
  const said = `${manifest}: cwd: "${cwd}"`;
  try {
    // What it says is looked at before what is there: a stranger's manifest is not told what exists elsewhere.
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
