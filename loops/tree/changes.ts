// Finds what a stage changed in the tree: the difference of two snapshots, without unprotected files that git ignores.

import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { watchOf } from '../../policies/gate/scope.ts';
import { isLossy, sameContent, sameEntry, type TreeEntry } from './entry.ts';
import { isCommit, rulesFor, trackedPaths } from './repository.ts';
import { nestedIn, type TreeSnapshot } from './snapshot.ts';

/**
 * Returns the changes by path. What counts: content, mode and kind of a file, a symlink's target, and a nested repository's
 * commit. Of git's own files, settings, hooks and `info` count. A file whose stat changed is a change unless its content is known
 * to be the same. What `after` keeps an agent out of counts even if git ignores it. `after` must have been taken with `before`.
 * Starts git only if something changed that it could ignore.
 */
export async function changesBetween(before: TreeSnapshot, after: TreeSnapshot): Promise<Change[]> {
  const all = compareEntries(before.entries, after.entries);
  const ignored = before.ignored === 'left_out' && all.length > 0 ? await ignoredAmong(all, before, after) : new Set();
  const { names } = watchOf(after.keptOut);
  const counted = all.filter(({ path }) => !ignored.has(path) || names(path));
  return joinRenames(counted, before.entries, after.entries);
}

/**
 * A path is ignored if a pattern from before the stage matches it. It must be tracked neither now nor in the commit of before. If
 * a stage wrote to a file that decides, or if git gives no answer, nothing is ignored. Such files are a `.gitignore` that git
 * reads, `.git/info/exclude`, and the settings. One case is not detected: a file that was tracked but never committed, matches a
 * pattern, and is removed from the index by the stage.
 */
async function ignoredAmong(
  changes: readonly Change[],
  before: TreeSnapshot,
  after: TreeSnapshot,
): Promise<ReadonlySet<string>> {
  const { git } = before;
  const none = new Set<string>();
  if (git === null || after.git?.own !== git.own || after.git.common !== git.common) return none;
  if (Object.entries(before.rules).some(([file, stamp]) => after.rules[file] !== stamp)) return none;
  const ignored = new Set<string>();
  for (const { at, commit, paths } of byRepository(changes, before)) {
    const within = at === '' ? paths : paths.map((name) => name.slice(at.length + 1));
    const queried = within.filter((_, i) => canBeQueried(paths[i]!, after));
    const found = ignored.has(at) ? within : await ignoredIn(path.join(before.root, at), queried, commit);
    if (found === null) return none;
    for (const name of found) ignored.add(at === '' ? name : `${at}/${name}`);
  }
  return ignored;
}

interface Group {
  /** The repository's folder, relative to the root; '' is the root's own repository. */
  at: string;
  commit: string | null;
  /** Changed paths in the repository, and its nested repositories that have some. */
  paths: string[];
}

/** Patterns hold within one repository, the outer one's first. Rules of one that the stage made do not count. */
function byRepository(changes: readonly Change[], before: TreeSnapshot): Group[] {
  const folders = nestedIn(before.entries).filter((at) => before.entries.get(at)?.text !== 'no repository');
  const groups = new Map(
    ['', ...folders.sort()].map((at): [string, Group] => {
      const commit = at === '' ? before.head : (before.entries.get(at)?.text ?? null);
      return [at, { at, commit: commit !== null && isCommit(commit) ? commit : null, paths: [] }];
    }),
  );
  const seen = new Set<string>();
  for (const change of changes)
    for (let name = change.path; name !== '' && !seen.has(name); ) {
      seen.add(name);
      const group = groups.get(repositoryOf(name, groups))!;
      group.paths.push(name);
      name = group.at;
    }
  return [...groups.values()].filter(({ paths }) => paths.length > 0);
}

function repositoryOf(name: string, groups: ReadonlyMap<string, Group>): string {
  for (let at = path.dirname(name); at !== '.'; at = path.dirname(at)) if (groups.has(at)) return at;
  return '';
}

/** git refuses the whole request if one path is beyond a symlink, and it does not answer for its own files. */
function canBeQueried(name: string, { entries }: TreeSnapshot): boolean {
  if (isLossy(name) || name === '.git' || name.startsWith('.git/')) return false;
  for (let at = path.dirname(name); at !== '.'; at = path.dirname(at))
    if (entries.get(at)?.kind === 'symlink') return false;
  return true;
}

async function ignoredIn(folder: string, paths: readonly string[], commit: string | null): Promise<string[] | null> {
  const written = paths.filter((name) => path.basename(name) === '.gitignore');
  const homes = written.map((name) => path.dirname(name));
  if (homes.includes('.')) return null;
  const rules = await rulesFor(folder, [...paths, ...homes]);
  if (rules === null) return null;
  const byOldRule = new Set(rules.flatMap((rule) => (rule.ignored ? [rule.path] : [])));
  // git does not read a .gitignore in a folder that is ignored completely; packages bring their own. (The query includes the
  // uppermost .gitignore that was written to, and no other written one is above it. So these patterns are old.)
  if (!homes.every((home) => byOldRule.has(home))) return null;
  const found = paths.filter((name) => byOldRule.has(name));
  if (found.length === 0) return [];
  const tracked = await trackedPaths(folder, commit);
  return tracked === null ? null : found.filter((name) => !tracked.has(name));
}

type Entries = ReadonlyMap<string, TreeEntry>;

/** Returns one change for each path that differs, by path. */
export function compareEntries(before: Entries, after: Entries): Change[] {
  const changes: Change[] = [];
  for (const [path, old] of before) {
    const now = after.get(path);
    if (now === undefined) changes.push({ path, how: 'deleted' });
    else if (!sameEntry(old, now)) changes.push({ path, how: howChanged(old, now) });
  }
  for (const path of after.keys()) if (!before.has(path)) changes.push({ path, how: 'added' });
  return changes.sort(byPath);
}

/**
 * Joins a deleted and an added path with the same file into one change. The same file means the same unwritten inode, or the same
 * content. (An inode alone proves little: the system gives it to the next file that is made.)
 */
function joinRenames(changes: readonly Change[], before: Entries, after: Entries): Change[] {
  const gone = new Map<string, Gone>();
  for (const { path, how } of changes)
    if (how === 'deleted')
      for (const mark of marksOf(before.get(path)!)) {
        const row = gone.get(mark);
        if (row === undefined) gone.set(mark, { paths: [path], next: 0 });
        else row.paths.push(path);
      }
  const joined = new Map<string, string>();
  const taken = new Set<string>();
  for (const { path, how } of changes) {
    if (how !== 'added') continue;
    const from = firstOf(marksOf(after.get(path)!), gone, taken);
    if (from === undefined) continue;
    taken.add(from);
    joined.set(path, from);
  }
  return changes.flatMap((change): Change[] => {
    const from = joined.get(change.path);
    if (from !== undefined) return [{ path: change.path, how: 'renamed', from }];
    return taken.has(change.path) ? [] : [change];
  });
}

/** Deleted paths with the same mark; those before `next` are already matched. */
interface Gone {
  paths: string[];
  next: number;
}

/** Visits no path twice, because one mark may have as many paths as the tree has files. */
function firstOf(
  marks: readonly string[],
  gone: ReadonlyMap<string, Gone>,
  taken: ReadonlySet<string>,
): string | undefined {
  for (const mark of marks) {
    const row = gone.get(mark);
    if (row === undefined) continue;
    while (row.next < row.paths.length && taken.has(row.paths[row.next]!)) row.next += 1;
    if (row.next < row.paths.length) return row.paths[row.next];
  }
  return undefined;
}

function howChanged(old: TreeEntry, now: TreeEntry): Change['how'] {
  if (old.kind === 'unreadable' || now.kind === 'unreadable') return 'mode';
  if (old.kind !== now.kind) return 'type';
  if (old.kind === 'commit') return 'commit';
  if (old.mode === now.mode) return 'modified';
  // If the content is not known, size and mtime choose the name of the change. That there is a change is certain.
  const alike = old.text !== null && now.text !== null ? sameContent(old, now) : old.mtimeMs === now.mtimeMs;
  return alike && old.size === now.size ? 'mode' : 'modified';
}

/** Returns the marks that show that two entries are one moved file, the most reliable first. */
function marksOf({ kind, ino, mtimeMs, size, text }: TreeEntry): string[] {
  if (kind !== 'file' && kind !== 'symlink') return [];
  return [`${kind} ${ino} ${mtimeMs} ${size}`, ...(text !== null && size > 0 ? [`${kind} ${text}`] : [])];
}

const byPath = (a: Change, b: Change): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
