// A git index and a folder for objects apart from the repository's own: the tree is read into them, and the repository stays as it is.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allFilters, switchedOff } from '../git/filters.ts';
import { askGit, complaintOf, type GitRan, type GitRequest, repositoryMistake } from '../git/git.ts';

type Git = (args: readonly string[], more?: Partial<GitRequest>) => Promise<GitRan>;

export interface Apart {
  git: Git;
  /** The repository's root, and what leads there from the folder: '', or `sub/`. */
  top: string;
  prefix: string;
}

interface ApartRequest {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Where objects are written; without it they go with the index. */
  objects?: string;
  /** Where others lie that are needed. */
  others?: readonly string[];
  halt?: AbortSignal;
}

export type Invalid = { how: 'invalid'; message: string };

const PATIENCE_MS = 5 * 60_000;

export async function withApart<T>(
  { cwd, environment, objects, others = [], halt }: ApartRequest,
  use: (apart: Apart) => Promise<T>,
): Promise<T | Invalid> {
  const asking = { cwd, timeoutMs: PATIENCE_MS, environment, ...(halt === undefined ? {} : { halt }) };
  const plain: Git = (args, more) => askGit(args, { ...asking, ...more });
  const places = await plain(['rev-parse', '--path-format=absolute', '--show-toplevel', ...PLACES]);
  if (places.code === 127) return invalid('it needs git, and git is not on the PATH');
  if (places.code !== 0) return invalid(repositoryMistake(cwd, places, 'leave diff out'));
  const [top, index, own] = places.stdout.split('\n') as [string, string, string];
  const filters = await allFilters(plain);
  if (filters.how === 'unknown')
    return invalid(`the filters of ${cwd} cannot be looked up: ${complaintOf(filters.ran)}`);
  const prefix = (await plain(['rev-parse', '--show-prefix'])).stdout.replace(/\n$/, '');
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-diff-'));
  try {
    const apart = {
      index: path.join(folder, 'index'),
      objects: objects ?? path.join(folder, 'objects'),
      others: [own, ...others],
    };
    mkdirSync(apart.objects, { recursive: true, mode: 0o700 });
    copyIndex(index, apart.index);
    const settings = [...switchedOff(filters.names), ...PLAIN];
    return await use({ git: (args, more) => plain(args, { settings, apart, ...more }), top, prefix });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PLACES = ['--git-path', 'index', '--git-path', 'objects'];

/** A split index would be written into the repository; names are shown as they are. */
const PLAIN = [
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.quotePath', 'false'],
] as const;

/** What git knows of the files comes along, so that it reads only those that changed; but not its word on what was written just then. */
function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to);
  const early = Math.floor(mtimeMs / 1000) - 1;
  utimesSync(to, early, early);
}

export const invalid = (message: string): Invalid => ({ how: 'invalid', message });
