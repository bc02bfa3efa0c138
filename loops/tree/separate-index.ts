// Reads the tree into a separate git index and objects folder, so that the repository does not change.

import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import type { Forbids } from './forbidden.ts';
import {
  allFilters,
  askPaths,
  complaintOf,
  type Git,
  type GitRan,
  gitWith,
  repositoryMistake,
  switchedOff,
} from './run-git.ts';

export interface Apart {
  git: Git;
  /** The repository's root, and the path from it to the folder: '', or `sub/`. */
  top: string;
  prefix: string;
}

interface ApartRequest {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The folder in which objects are written; without it they are deleted with the index. */
  objects?: string;
  /** The folders of other objects that are needed. */
  others?: readonly string[];
  halt?: AbortSignal;
}

export type Invalid = { how: 'invalid'; message: string; isTooLarge?: true };

const PATIENCE_MS = 5 * 60_000;

export async function withApart<T>(
  { cwd, environment, objects, others = [], halt }: ApartRequest,
  use: (apart: Apart) => Promise<T>,
): Promise<T | Invalid> {
  const plain = gitWith({ cwd, timeoutMs: PATIENCE_MS, environment, ...(halt === undefined ? {} : { halt }) });
  const [places, filters] = await Promise.all([askPaths(plain, PLACES), allFilters(plain)]);
  if (!Array.isArray(places))
    return invalid(
      places.code === 127
        ? 'it needs git, and git is not on the PATH'
        : repositoryMistake(cwd, places, 'leave diff out'),
    );
  const [top, index, own, prefix] = places as [string, string, string, string];
  if (filters.how === 'unknown')
    return invalid(`the filters of ${cwd} cannot be looked up: ${complaintOf(filters.ran)}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-diff-'));
  try {
    const apart = {
      index: path.join(folder, 'index'),
      objects: objects ?? path.join(folder, 'objects'),
      others: [own, ...others],
    };
    makeFolders(apart.objects);
    copyIndex(index, apart.index);
    const settings = [...switchedOff(filters.names), ...PLAIN];
    return await use({ git: (args, more) => plain(args, { settings, apart, ...more }), top, prefix });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PLACES = [['--show-toplevel'], ['--git-path', 'index'], ['--git-path', 'objects'], ['--show-prefix']];

/** git would write a split index into the repository. Names are shown unquoted. */
const PLAIN = [
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.quotePath', 'false'],
] as const;

/** Copies what git knows, so that it reads only changed files. An earlier time makes it check those of that moment. */
function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to);
  const early = Math.floor(mtimeMs / 1000) - 1;
  utimesSync(to, early, early);
}

export const invalid = (message: string): Invalid => ({ how: 'invalid', message });

export interface TreeRules {
  /** The folder in which the CLI runs; nothing outside is read. */
  cwd: string;
  /** The folder to which `security.forbidden_paths` are relative, besides `cwd`. */
  root: string;
  /** The folder with every task's state. */
  state: string;
  forbids: Forbids;
  /** The limits of one file, and of all changed files together; without them any size is read. */
  most?: { file: number; all: number };
}

/** `forbidden`: the names of changed files that are not shown; `unread`: of those that git cannot read, or that are too large. */
type TakenIn = { how: 'taken'; forbidden: string[]; unread: string[]; warnings: string[] } | Invalid;

/** Adds the current tree to the index, but no forbidden files and none of ours; those are not even hashed. */
export async function takeIn({ git }: Apart, rules: TreeRules): Promise<TakenIn> {
  const listed = await git([...LIST, '-x', '.tmp/', '--', '.']);
  if (listed.code !== 0) return invalid(`git cannot read ${rules.cwd}: ${complaintOf(listed)}`);
  const warnings: string[] = [];
  const forbidden: string[] = [];
  const unread: string[] = [];
  let bytes = 0;
  const leftOut = leftOutBy(rules);
  const isGone = goneIn(rules.cwd);
  const names = [...new Set(listed.stdout.split('\0').slice(0, -1))].filter((name) => {
    const rule = leftOut(name);
    if (rule === 'forbidden') forbidden.push(name);
    if (rule !== null) return false;
    const size = isGone(name) ? 0 : sizeOf(path.join(rules.cwd, name), name, rules.most?.file);
    if (typeof size === 'number') bytes += size;
    else {
      unread.push(name);
      warnings.push(`${name} ${size.why}, and is not in the diff`);
    }
    return typeof size === 'number';
  });
  if (rules.most !== undefined && bytes > rules.most.all)
    return {
      ...invalid(
        `the changed and untracked files have ${inMb(bytes)}, and at most ${inMb(rules.most.all)} are stored for a diff`,
      ),
      isTooLarge: true,
    };
  const added = await updateIndex(git, rules.cwd, names);
  return added === null || added.code === 0
    ? { how: 'taken', forbidden, unread, warnings }
    : invalid(`git cannot read ${rules.cwd}: ${complaintOf(added)}`);
}

/** Brings these paths of the index to their state in the tree. @returns null if there are none. */
export async function updateIndex(git: Git, cwd: string, names: readonly string[]): Promise<GitRan | null> {
  const isGone = goneIn(cwd);
  const [gone, there] = [names.filter(isGone), names.filter((name) => !isGone(name))];
  const update = (flags: string[], of: string[]) =>
    of.length === 0
      ? null
      : git(['update-index', ...flags, '-z', '--stdin'], { input: of.map((name) => `${name}\0`).join('') });
  const removed = await update(['--force-remove'], gone);
  return removed !== null && removed.code !== 0
    ? removed
    : ((await update(['--add', '--remove', '--replace'], there)) ?? removed);
}

/** Whether a path is now a folder, or below a link or a file. Then git refuses the path, although it was removed. */
function goneIn(cwd: string): (name: string) => boolean {
  const known = new Map<string, 'folder' | 'other' | null>([['.', 'folder']]);
  const kindAt = (name: string): 'folder' | 'other' | null => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const look = tried(() => lstatSync(path.join(cwd, name), { throwIfNoEntry: false }));
    const kind = look == null ? null : look.isDirectory() ? 'folder' : 'other';
    known.set(name, kind);
    return kind;
  };
  const isBelowFolders = (name: string): boolean => {
    const above = path.dirname(name);
    return above === '.' || (isBelowFolders(above) && kindAt(above) !== 'other');
  };
  // A folder with a repository is a path of git.
  return (name) =>
    !name.endsWith('/') &&
    (!isBelowFolders(name) || (kindAt(name) === 'folder' && !existsSync(path.join(cwd, name, '.git'))));
}

const inMb = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`;

const LIST = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];

/** Expects names relative to the folder in which the CLI runs. */
export function leftOutBy({ cwd, root, state, forbids }: TreeRules): (name: string) => 'forbidden' | 'ours' | null {
  const [realCwd, realRoot] = [realpathSync.native(cwd), realpathSync.native(root)];
  // The worktree of a task is in the folder of the state.
  const isInState = cwd.startsWith(state + path.sep);
  return (name) => {
    const file = path.join(cwd, name);
    if (name.split('/').includes('.tmp') || (!isInState && file.startsWith(state + path.sep))) return 'ours';
    const names = [name, path.relative(root, file), path.relative(realRoot, path.join(realCwd, name))];
    return forbids(names, file) === null ? null : 'forbidden';
  };
}

/** Returns the bytes of the file, or why git would stop at it. */
function sizeOf(file: string, name: string, most = Number.POSITIVE_INFINITY): number | { why: string } {
  if (name.endsWith('/')) return { why: 'is a repository of its own' };
  if (name.includes('\ufffd')) return { why: 'has a name that is not UTF-8' };
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return 0;
    accessSync(file, constants.R_OK);
    return found.size > most ? { why: `has ${found.size} bytes` } : found.size;
  } catch (error) {
    return { why: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
