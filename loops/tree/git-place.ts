// Reads a repository's files: which commit it is at, and what decides which paths it ignores.

import { homedir } from 'node:os';
import path from 'node:path';
import type { GitPlace } from '../../state/disk/git-place.ts';
import { lookAt, readFollowedIfFit } from '../../state/disk/regular-file.ts';

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
