// Defines an entry of a snapshot, and when two entries are the same.

import type { Stats } from 'node:fs';

export interface TreeEntry {
  kind: 'file' | 'symlink' | 'special' | 'commit' | 'unreadable';
  /** The permission bits. */
  mode: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /**
   * For a file, the hash of its content if it was read, else null. For a symlink, its target. For a socket, pipe or device, its
   * kind. For a nested repository, its commit. For an unreadable entry, the error's code.
   */
  text: string | null;
}

export function entryOf(stats: Stats, kind: TreeEntry['kind'], text: string | null): TreeEntry {
  const { mode, size, mtimeMs, ctimeMs, ino } = stats;
  return { kind, mode: mode & 0o7777, size, mtimeMs, ctimeMs, ino, text };
}

/** An entry whose stat does not count. */
export const bareEntry = (kind: 'commit' | 'unreadable', text: string): TreeEntry => ({
  kind,
  mode: 0,
  size: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  ino: 0,
  text,
});

/**
 * Returns whether the entry was not written to in between. The kernel sets the ctime at every change, and no process can choose
 * it. So a size and an mtime that were set back do not hide a change. (A double holds the ctime to a quarter of a microsecond.)
 */
export function untouched(a: TreeEntry, b: TreeEntry): boolean {
  return (
    a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.size === b.size && a.mode === b.mode
  );
}

/** Returns whether both are the same for a reader: content and mode of a file, target of a symlink. In doubt they differ. */
export function sameEntry(a: TreeEntry, b: TreeEntry): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'file':
      return untouched(a, b) || (a.mode === b.mode && sameContent(a, b));
    case 'special':
      return a.text === b.text && a.mode === b.mode;
    case 'symlink':
    case 'commit':
    case 'unreadable':
      return a.text === b.text;
  }
}

/** True only if both contents were read. */
export const sameContent = (a: TreeEntry, b: TreeEntry): boolean =>
  a.text !== null && a.text === b.text && a.size === b.size;
