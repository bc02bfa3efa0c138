// Finds a repository and its parts by its files alone.

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readFollowedIfFit } from './regular-file.ts';

export interface GitPlace {
  /** The folder that has the `.git`. */
  top: string;
  /** Contains HEAD. */
  own: string;
  /** Contains settings, hooks and branches; for a linked worktree this is not its own folder. */
  common: string;
}

/** The repository that contains a folder; null if none does. */
export function findGit(folder: string): GitPlace | null {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return gitAt(at);
    if (at === path.dirname(at)) return null;
  }
}

/** The repository whose `.git` is directly in this folder; null if there is none. */
export function gitAt(top: string): GitPlace | null {
  const dotGit = path.join(top, '.git');
  const link = readShort(dotGit)?.match(/^gitdir: (.+?)\n?$/s)?.[1];
  const own = link === undefined ? dotGit : path.resolve(top, link);
  if (!existsSync(path.join(own, 'HEAD'))) return null;
  const common = readShort(path.join(own, 'commondir'))?.trim();
  return { top, own, common: common === undefined ? own : path.resolve(own, common) };
}

/** The folders by which a CLI may know a project: the working folder, its repository's, and that of the main worktree. */
export function projectFolders(cwd: string): string[] {
  const git = findGit(cwd);
  const main = git !== null && path.basename(git.common) === '.git' ? [path.dirname(git.common)] : [];
  const folders = git === null ? [cwd] : [cwd, git.top, ...main];
  return [...new Set(folders.flatMap((folder) => [folder, real(folder) ?? folder]))];
}

/** The folders that a commit changes: for a linked worktree its own and the common one; none outside a repository. */
export function gitFolders(cwd: string): string[] {
  const git = findGit(cwd);
  if (git === null || real(path.join(git.common, 'HEAD')) === null || real(path.join(git.common, 'objects')) === null)
    return [];
  const { top, own, common } = git;
  // A `.git` file may name any repository. But the worktree's own folder names the tree to which it belongs.
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

/** Parts of a repository may be links, as HEAD once was. */
const readShort = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);
