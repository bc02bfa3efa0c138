// Defines an entry of a snapshot: its name, its place on disk, and when two entries are the same.

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

/** The character that Node puts instead of invalid UTF-8 bytes. Here the bytes follow it in hex. */
const UNKNOWN = '\ufffd';

const UNKNOWN_BYTES = Buffer.from(UNKNOWN);

/** Returns whether Node lost bytes of a name. */
export const isLossy = (name: string): boolean => name.includes(UNKNOWN);

/** Makes a name from its bytes. A real replacement character is encoded like an invalid byte, so that no two names are equal. */
export function nameOf(bytes: Buffer): string {
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = validAt(bytes, at);
    const piece = bytes.subarray(at, at + Math.max(1, length));
    name +=
      length === 0 || piece.equals(UNKNOWN_BYTES) ? `${UNKNOWN}${piece.toString('hex')}.` : piece.toString('utf8');
    at += piece.length;
  }
  return name;
}

/** Returns the path of an entry on disk: a text, or bytes if its name is not valid UTF-8. */
export function placeOf(root: string, path: string): string | Buffer {
  const place = path === '' ? root : `${root}/${path}`;
  if (!path.includes(UNKNOWN)) return place;
  const [first, ...rest] = path.split(UNKNOWN);
  const pieces = rest.map((piece) => {
    const end = piece.indexOf('.');
    return Buffer.concat([Buffer.from(piece.slice(0, end), 'hex'), Buffer.from(piece.slice(end + 1))]);
  });
  return Buffer.concat([Buffer.from(`${root}/${first}`), ...pieces]);
}

/**
 * Returns the name of an entry in a folder with the same layout as the tree. In a linked worktree `.git` is a file. The files
 * that git keeps for it elsewhere are entries with names below `.git/`.
 */
export const besideTree = (path: string): string => path.replace(/^\.git\//, '.git-folder/');

/** Returns the length of the valid character that begins here, or 0. */
function validAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const piece = bytes.subarray(at, at + length);
  return Buffer.from(piece.toString('utf8')).equals(piece) ? length : 0;
}
