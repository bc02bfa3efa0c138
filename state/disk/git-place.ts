// Finds a repository by its files alone, and where its parts are.

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readFollowedIfFit } from './regular-file.ts';

export interface GitPlace {
  /** The folder that has the `.git`. */
  top: string;
  /** HEAD lies here. */
  own: string;
  /** Settings, hooks and branches lie here; of a linked worktree that is not its own folder. */
  common: string;
}

/** The repository that a folder lies in; null when it lies in none. */
export function findGit(folder: string): GitPlace | null {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return gitAt(at);
    if (at === path.dirname(at)) return null;
  }
}

/** The repository whose `.git` stands in this very folder; null when that is none. */
export function gitAt(top: string): GitPlace | null {
  const dotGit = path.join(top, '.git');
  const link = readShort(dotGit)?.match(/^gitdir: (.+?)\n?$/)?.[1];
  const own = link === undefined ? dotGit : path.resolve(top, link);
  if (!existsSync(path.join(own, 'HEAD'))) return null;
  const common = readShort(path.join(own, 'commondir'))?.trim();
  return { top, own, common: common === undefined ? own : path.resolve(own, common) };
}

/** The folders that a commit changes: of a linked worktree its own and the common one; none where it is in no repository. */
export function gitFolders(cwd: string): string[] {
  const git = findGit(cwd);
  if (git === null || real(path.join(git.common, 'HEAD')) === null || real(path.join(git.common, 'objects')) === null)
    return [];
  const { top, own, common } = git;
  // A `.git` file may name any repository: the own folder of a worktree names the tree that it belongs to.
  const owner = own === common ? null : readShort(path.join(own, 'gitdir'))?.trim();
  if (owner === undefined) return [];
  if (owner !== null && real(path.resolve(own, owner)) !== real(path.join(top, '.git'))) return [];
  return [...new Set([own, common].map((folder) => realpathSync(folder)))];
}

function real(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

const MAX_BYTES = 64 * 1024;

/** Parts of a repository may be linked, as its HEAD once was. */
const readShort = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);
