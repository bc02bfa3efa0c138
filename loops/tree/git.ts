// Asks git about a tree that is not trusted: it reads, and changes nothing.

import { askGit } from '../git/git.ts';

/** Folders below `folder` that git ignores as a whole: by a pattern for the folder itself, with nothing tracked in them. */
export async function ignoredFolders(folder: string): Promise<string[]> {
  const listed = await ask(folder, ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']);
  const folders = (listed ?? []).flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : []));
  // git lists a folder too when all that is in it now happens to be ignored; what comes later need not be.
  const rules = folders.length === 0 ? [] : await rulesFor(folder, folders);
  return (rules ?? []).flatMap(({ path, ignored }) => (ignored ? [path] : []));
}

interface IgnoreRule {
  path: string;
  /** A pattern that begins with `!` takes a path out again. */
  ignored: boolean;
}

/** The pattern that decides for each path, tracked or not; paths without one are left out. Null: git could not say. */
export async function rulesFor(folder: string, paths: readonly string[]): Promise<IgnoreRule[] | null> {
  // Without --no-index each path is looked for among all that are tracked: 50,000 of them take a minute.
  // A name that begins with a colon would be taken for a pattern.
  const names = paths.map((name) => `./${name}`);
  const fields = await ask(folder, ['check-ignore', '--no-index', '--verbose', '--stdin', '-z'], names);
  if (fields === null) return null;
  const rules: IgnoreRule[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4)
    rules.push({ path: fields[at + 3]!.slice(2), ignored: !fields[at + 2]!.startsWith('!') });
  return rules;
}

/** What is tracked below a folder: now, and in a commit. Null: git could not say. */
export async function trackedPaths(folder: string, commit: string | null): Promise<Set<string> | null> {
  const now = await ask(folder, ['ls-files', '--cached', '-z']);
  const then = commit === null ? [] : await ask(folder, ['ls-tree', '-r', '-z', '--name-only', commit]);
  return now === null || then === null ? null : new Set([...now, ...then]);
}

const TIMEOUT_MS = 30_000;
/** The fields of its answer; null when it is missing, fails or takes too long. */
async function ask(folder: string, argv: readonly string[], fields: readonly string[] = []): Promise<string[] | null> {
  const { code, stdout } = await askGit(argv, {
    cwd: folder,
    timeoutMs: TIMEOUT_MS,
    ...(fields.length === 0 ? {} : { input: fields.map((field) => `${field}\0`).join('') }),
  });
  // check-ignore says with 1 that nothing is ignored.
  return code === 0 || (code === 1 && argv[0] === 'check-ignore') ? stdout.split('\0').slice(0, -1) : null;
}
