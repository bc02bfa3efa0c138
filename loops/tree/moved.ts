// Moves back a file that a stage moved and of which no copy exists: the file at the new path is the original.

import { chmod, lstat, rename } from 'node:fs/promises';
import type { Violation } from '../../policies/gate/scope.ts';
import { entryOf, type TreeEntry } from './entry.ts';
import { placeIn, type TreeSnapshot } from './snapshot.ts';

/** Returns the old path for each added path that is a moved file, if the old path is free. */
export async function movesAmong(
  violations: readonly Violation[],
  added: readonly string[],
  before: TreeSnapshot,
): Promise<Map<string, string>> {
  const reported = new Map(violations.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from] as const])));
  const unknown = added.filter((at) => !reported.has(at));
  // If git ignores the old path, no change names it.
  const gone = unknown.length === 0 ? new Map<string, string>() : byFile(before.entries);
  const moves = new Map<string, string>();
  const taken = new Set<string>();
  for (const at of added) {
    const from = reported.get(at) ?? gone.get((await fileAt(placeIn(before, at))) ?? '');
    const entry = from === undefined ? undefined : before.entries.get(from);
    const isMovable = entry?.kind === 'file' || entry?.kind === 'symlink';
    if (!isMovable || taken.has(from!) || !(await isGone(placeIn(before, from!)))) continue;
    taken.add(from!);
    moves.set(at, from!);
  }
  return moves;
}

/** Throws the errors of the file system; then the file remains where it is. Every part of the path to it must be a folder. */
export async function moveBack(before: TreeSnapshot, at: string, from: string): Promise<void> {
  const entry = before.entries.get(from)!;
  await rename(placeIn(before, at), placeIn(before, from));
  if (entry.kind === 'file') await chmod(placeIn(before, from), entry.mode);
}

function byFile(entries: ReadonlyMap<string, TreeEntry>): Map<string, string> {
  const files = new Map<string, string>();
  for (const [at, entry] of entries) if (entry.kind === 'file') files.set(keyOf(entry), at);
  return files;
}

/** The same inode, not written to. */
const keyOf = ({ ino, mtimeMs, size }: TreeEntry): string => `${ino} ${mtimeMs} ${size}`;

async function fileAt(place: string | Buffer): Promise<string | null> {
  const stats = await lstat(place).catch(() => null);
  return stats?.isFile() ? keyOf(entryOf(stats, 'file', null)) : null;
}

async function isGone(place: string | Buffer): Promise<boolean> {
  return (await lstat(place).catch((error: NodeJS.ErrnoException) => error.code)) === 'ENOENT';
}
