// Compares two lists of entries, with renames apart or joined; pure.

import type { Change } from '../../policies/facts/gate-record.ts';
import { sameContent, sameEntry, type TreeEntry } from './entry.ts';

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
export function joinRenames(changes: readonly Change[], before: Entries, after: Entries): Change[] {
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
