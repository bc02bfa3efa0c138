// Finds a repository by its files alone: where its parts lie, which commit it is at, what decides what it ignores.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { lookAt, readFollowedIfFit } from '../../state/disk/regular-file.ts';

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

/** The commit that HEAD points to, or in words why there is none; it tells two states of a repository apart. */
export function commitOf(git: GitPlace): string {
  const head = readShort(path.join(git.own, 'HEAD'))?.trim() ?? '';
  if (COMMIT.test(head)) return head;
  const ref = head.match(/^ref: (refs\/\S+)$/)?.[1];
  if (ref === undefined || ref.includes('..')) return 'no HEAD';
  const tables = readShort(path.join(git.common, 'reftable/tables.list'));
  if (tables !== null) return `reftable ${tables.trim()}`;
  const loose = (readShort(path.join(git.own, ref)) ?? readShort(path.join(git.common, ref)))?.trim();
  if (loose !== undefined && COMMIT.test(loose)) return loose;
  const packed = readShort(path.join(git.common, 'packed-refs')) ?? '';
  return (
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.slice(0, -ref.length - 1) ?? `no commit on ${ref}`
  );
}

export const isCommit = (text: string): boolean => COMMIT.test(text);

/**
 * What decides outside of the tree's own `.gitignore` files which paths are ignored, each with its size and times. A file
 * that `core.excludesFile` names elsewhere is not among them.
 */
export function ruleFiles(root: string, git: GitPlace): Record<string, string> {
  const files = [
    path.join(git.common, 'config'),
    path.join(git.common, 'info/exclude'),
    path.join(git.own, 'config.worktree'),
    path.join(homedir(), '.gitconfig'),
    path.join(process.env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'git/config'),
    path.join(process.env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'git/ignore'),
  ];
  for (let at = root; at !== git.top && at !== path.dirname(at); at = path.dirname(at))
    files.push(path.join(path.dirname(at), '.gitignore'));
  return Object.fromEntries(files.map((file) => [file, stampOf(file)]));
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** More than a list of branches has that are packed; a device or pipe is never opened. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Parts of a repository may be linked, as its HEAD once was. */
const readShort = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);

function stampOf(file: string): string {
  const stats = lookAt(file);
  return stats === null ? 'absent' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
