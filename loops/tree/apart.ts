// Reads the tree into a separate git index and objects folder, so that the repository does not change.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { allFilters, switchedOff } from './filters.ts';
import { askGit, complaintOf, type GitRan, type GitRequest, repositoryMistake } from './run-git.ts';

type Git = (args: readonly string[], more?: Partial<GitRequest>) => Promise<GitRan>;

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
    makeFolders(apart.objects);
    copyIndex(index, apart.index);
    const settings = [...switchedOff(filters.names), ...PLAIN];
    return await use({ git: (args, more) => plain(args, { settings, apart, ...more }), top, prefix });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PLACES = ['--git-path', 'index', '--git-path', 'objects'];

/** git would write a split index into the repository. Names are shown unquoted. */
const PLAIN = [
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.quotePath', 'false'],
] as const;

/**
 * Copies git's knowledge of the files, so that git reads only those that changed. The earlier time of the copy makes git check
 * files that were written at the same moment.
 */
function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to);
  const early = Math.floor(mtimeMs / 1000) - 1;
  utimesSync(to, early, early);
}

export const invalid = (message: string): Invalid => ({ how: 'invalid', message });
