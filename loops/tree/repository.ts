// Reads the state of a repository that is not trusted: its commit, its branch, and which paths it ignores or tracks.

import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { GitPlace } from '../../state/disk/git-place.ts';
import { lookAt, readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { askGit, complaintOf, type Git } from './run-git.ts';

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

/** The folders below `folder` that git ignores completely: matched by a pattern, with nothing tracked inside. */
export async function ignoredFolders(folder: string): Promise<string[]> {
  const listed = await ask(folder, ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']);
  const folders = (listed ?? []).flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : []));
  // git also lists a folder if all its current content happens to be ignored. Later content may not be.
  const rules = folders.length === 0 ? [] : await rulesFor(folder, folders);
  return (rules ?? []).flatMap(({ path, ignored }) => (ignored ? [path] : []));
}

interface IgnoreRule {
  path: string;
  /** A pattern that begins with `!` includes a path again. */
  ignored: boolean;
}

/** Returns the pattern that decides for each path, tracked or not; omits paths without one. Null: git gave no answer. */
export async function rulesFor(folder: string, paths: readonly string[]): Promise<IgnoreRule[] | null> {
  // Without --no-index, git searches each path among all tracked ones: 50,000 of them take a minute.
  // The prefix prevents git from reading a name that begins with a colon as a pattern.
  const names = paths.map((name) => `./${name}`);
  const fields = await ask(folder, ['check-ignore', '--no-index', '--verbose', '--stdin', '-z'], names);
  if (fields === null) return null;
  const rules: IgnoreRule[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4)
    rules.push({ path: fields[at + 3]!.slice(2), ignored: !fields[at + 2]!.startsWith('!') });
  return rules;
}

/** Returns the tracked paths below a folder: now, and in a commit. Null: git gave no answer. */
export async function trackedPaths(folder: string, commit: string | null): Promise<Set<string> | null> {
  const now = await ask(folder, ['ls-files', '--cached', '-z']);
  const then = commit === null ? [] : await ask(folder, ['ls-tree', '-r', '-z', '--name-only', commit]);
  return now === null || then === null ? null : new Set([...now, ...then]);
}

/** The nested repositories that git knows, below the folder of `git`. */
export async function submodulesIn(git: Git): Promise<string[]> {
  const { stdout } = await git(['ls-files', '--stage', '-z']);
  return stdout.split('\0').flatMap((line) => /^160000 \S+ \d\t(.*)$/s.exec(line)?.[1] ?? []);
}

const TIMEOUT_MS = 30_000;

/** Returns the fields of git's answer; null if git is missing, fails or takes too long. */
async function ask(folder: string, argv: readonly string[], fields: readonly string[] = []): Promise<string[] | null> {
  const { code, stdout } = await askGit(argv, {
    cwd: folder,
    timeoutMs: TIMEOUT_MS,
    ...(fields.length === 0 ? {} : { input: fields.map((field) => `${field}\0`).join('') }),
  });
  // check-ignore exits with 1 if nothing is ignored.
  return code === 0 || (code === 1 && argv[0] === 'check-ignore') ? stdout.split('\0').slice(0, -1) : null;
}

/** Why a file counts as tracked, or null. It counts if git cannot answer. Starts no git outside of a repository. */
export async function whyTracked(file: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  for (const place of new Set([realpathSync(file), path.resolve(file), ...linksAbove(path.resolve(file))])) {
    const folder = realpathSync(path.dirname(place));
    const top = repositoryAbove(folder);
    if (top === null) continue;
    const name = path.relative(top, path.join(folder, path.basename(place)));
    const args = ['--literal-pathspecs', 'ls-files', '--error-unmatch', '--', name];
    const ran = await askGit(args, { cwd: top, timeoutMs: PATIENCE_MS, environment });
    if (ran.code === 0) return `git tracks ${place}`;
    const isOutside = ran.code === 128 && ran.stderr.includes('not a git repository');
    if (ran.code !== 1 && !isOutside) return `git cannot tell whether it tracks ${place} (${complaintOf(ran)})`;
  }
  return null;
}

const PATIENCE_MS = 10_000;

function linksAbove(file: string): string[] {
  const folder = path.dirname(file);
  if (folder === file) return [];
  const above = linksAbove(folder);
  return lstatSync(folder).isSymbolicLink() ? [folder, ...above] : above;
}

function repositoryAbove(folder: string): string | null {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const above = path.dirname(folder);
  return above === folder ? null : repositoryAbove(above);
}

/**
 * Returns the branch from which the work in a repository starts:
 * the remote's default (`origin/main`), otherwise `main` or `master`. Returns null without git, or if none of them has a
 * commit.
 */
export async function defaultBranch(root: string): Promise<string | null> {
  const git = (...args: string[]) => askGit(args, { cwd: root, timeoutMs: PATIENCE_MS });
  const remote = (await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')).stdout.trim();
  for (const name of [...(remote === '' ? [] : [remote]), 'main', 'master'])
    if ((await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)).code === 0) return name;
  return null;
}
