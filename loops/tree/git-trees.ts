// Queries git about a tree that is not trusted; only reads, and changes nothing.

import { askGit } from './run-git.ts';

/**
 * Returns the folders below `folder` that git ignores completely: a pattern matches the folder itself, and nothing in it is
 * tracked.
 */
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
