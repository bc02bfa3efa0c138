// Reads a repository's files: its current commit, and the rules that decide which paths it ignores.

import { homedir } from 'node:os';
import path from 'node:path';
import type { GitPlace } from '../../state/disk/git-place.ts';
import { lookAt, readFollowedIfFit } from '../../state/disk/regular-file.ts';

/** Returns the commit of HEAD, or a text that says why there is none. The result distinguishes two states of a repository. */
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
 * Returns the files outside of the tree's own `.gitignore` files that decide which paths are ignored, each with its size and
 * times. Does not include a file that `core.excludesFile` names elsewhere.
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
/** More than a list of packed branches needs. A device or pipe is never opened. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Parts of a repository may be symlinks, as HEAD was in the past. */
const readShort = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);

function stampOf(file: string): string {
  const stats = lookAt(file);
  return stats === null ? 'absent' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
