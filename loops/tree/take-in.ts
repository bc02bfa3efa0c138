// Adds the current tree to a separate index: modified, deleted and untracked files, but no forbidden files and none of ours.

import { accessSync, constants, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { type Apart, type Invalid, invalid } from './apart.ts';
import type { Forbids } from './forbidden.ts';
import { complaintOf } from './run-git.ts';

export interface TreeRules {
  /** The folder in which the CLI runs; nothing outside is read. */
  cwd: string;
  /** The folder to which `security.forbidden_paths` are relative, besides `cwd`. */
  root: string;
  /** The folder with every task's state. */
  state: string;
  forbids: Forbids;
}

/** `forbidden`: the names of changed files that are not shown. */
export type TakenIn = { how: 'taken'; forbidden: string[]; warnings: string[] } | Invalid;

/** Omitted files are not even hashed. */
export async function takeIn({ git }: Apart, rules: TreeRules): Promise<TakenIn> {
  const listed = await git([...LIST, '-x', '.tmp/', '--', '.']);
  if (listed.code !== 0) return invalid(`git cannot read ${rules.cwd}: ${complaintOf(listed)}`);
  const warnings: string[] = [];
  const forbidden: string[] = [];
  const leftOut = leftOutBy(rules);
  const names = [...new Set(listed.stdout.split('\0').slice(0, -1))].filter((name) => {
    const rule = leftOut(name);
    if (rule === 'forbidden') forbidden.push(name);
    if (rule !== null) return false;
    const why = whyNot(path.join(rules.cwd, name), name);
    if (why !== null) warnings.push(`${name} ${why}, and is not in the diff`);
    return why === null;
  });
  const input = names.map((name) => `${name}\0`).join('');
  const added = await git(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input });
  return added.code === 0
    ? { how: 'taken', forbidden, warnings }
    : invalid(`git cannot read ${rules.cwd}: ${complaintOf(added)}`);
}

const LIST = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];

/** Expects names relative to the folder in which the CLI runs. */
export function leftOutBy({ cwd, root, state, forbids }: TreeRules): (name: string) => 'forbidden' | 'ours' | null {
  const [realCwd, realRoot] = [realpathSync.native(cwd), realpathSync.native(root)];
  return (name) => {
    const file = path.join(cwd, name);
    if (name.split('/').includes('.tmp') || file.startsWith(state + path.sep)) return 'ours';
    const names = [name, path.relative(root, file), path.relative(realRoot, path.join(realCwd, name))];
    return forbids(names, file) === null ? null : 'forbidden';
  };
}

/** Returns the reason why git would stop at this file. */
function whyNot(file: string, name: string): string | null {
  if (name.endsWith('/')) return 'is a repository of its own';
  if (name.includes('\ufffd')) return 'has a name that is no UTF-8';
  try {
    const kind = lstatSync(file, { throwIfNoEntry: false });
    if (kind?.isFile()) accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}
