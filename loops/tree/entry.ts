// One thing in the tree as a snapshot holds it, and when two of them are the same.

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
   * Of a file the hash of its content where it was read, else null; of a symlink its target; of a socket, pipe or device
   * what it is; of a nested repository the commit it is at; of what cannot be read the error's code.
   */
  text: string | null;
}

export function entryOf(stats: Stats, kind: TreeEntry['kind'], text: string | null): TreeEntry {
  const { mode, size, mtimeMs, ctimeMs, ino } = stats;
  return { kind, mode: mode & 0o7777, size, mtimeMs, ctimeMs, ino, text };
}

/** What has no stat of its own that counts. */
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
 * Nothing was written to it in between: the kernel sets the ctime at every change and lets nobody choose it, so a size and
 * an mtime that were put back do not hide one. (A double holds it to a quarter of a microsecond.)
 */
export function untouched(a: TreeEntry, b: TreeEntry): boolean {
  return (
    a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.size === b.size && a.mode === b.mode
  );
}

/** The same to whoever reads it: content and mode of a file, target of a symlink. In doubt it is not. */
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

/** Known to be: both were read. */
export const sameContent = (a: TreeEntry, b: TreeEntry): boolean =>
  a.text !== null && a.text === b.text && a.size === b.size;
