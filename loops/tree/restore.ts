// Restores what a stage changed out of scope; first moves aside what is in its place, and never deletes it.

import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, rename, rmdir, symlink, unlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Violation } from '../../policies/gate/scope.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Copies } from './copies.ts';
import { besideTree, entryOf, placeOf, type TreeEntry, untouched } from './entry.ts';
import { placeIn, siteOf, type TreeSnapshot } from './snapshot.ts';

interface RestoreOptions {
  violations: readonly Violation[];
  before: TreeSnapshot;
  copies: Copies;
  /** The current files of the tree are moved here, in the same layout; mode 0700. */
  backupFolder: string;
}

interface RestoredTree {
  /** `kept_in`: the new path of what was in its place; null if nothing was. */
  restored: { path: string; kept_in: string | null }[];
  /** One sentence for each path that could not be restored. */
  notes: string[];
}

/**
 * Restores content, mode, symlinks and deleted files, and removes added files. Writes nothing through a symlink: each part of the
 * path above must be a folder. Only reports the changed commit of a nested repository.
 */
export async function restore({ violations, before, copies, backupFolder }: RestoreOptions): Promise<RestoredTree> {
  const paths = [...new Set(violations.map(({ path: at }) => at))].sort();
  const result: RestoredTree = { restored: [], notes: [] };
  const wasThere = (at: string) => before.entries.has(at);
  const added = paths.filter((at) => !wasThere(at));
  const moves = await withoutCopy(await movesAmong(violations, added, before), before, copies);
  const movedBack = new Set<string>();
  // Added files go first: a symlink that replaced a folder blocks the files below.
  for (const at of [...added.filter((at) => !moves.has(at)), ...moves.keys(), ...paths.filter(wasThere)]) {
    if (movedBack.has(at)) continue;
    const entry = before.entries.get(at);
    const from = moves.get(at);
    const done = await attempt(() =>
      from !== undefined
        ? returnTo(before, at, from)
        : entry === undefined
          ? takeAway(before, at, backupFolder)
          : putBack(before, at, entry, copies, backupFolder),
    );
    if (done.how === 'done') {
      result.restored.push({ path: at, kept_in: done.keptIn });
      if (from === undefined) continue;
      movedBack.add(from);
      result.restored.push({ path: from, kept_in: null });
    } else result.notes.push(`${at} was not put back: ${done.why}`);
  }
  await removeEmptied(before, added);
  return result;
}

type Done = { how: 'done'; keptIn: string | null } | { how: 'refused'; why: string };

const refused = (why: string): Done => ({ how: 'refused', why });

async function attempt(work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { message } = error;
    return refused(message);
  }
}

/** Selects the moved files without a valid copy: once moved aside, they could not be restored. */
async function withoutCopy(moves: Map<string, string>, before: TreeSnapshot, copies: Copies) {
  for (const [at, from] of moves) {
    const isInCopies = copies.entries.has(from);
    if (isInCopies && (await copyMistake(copies, from, before.entries.get(from)!)) === null) moves.delete(at);
  }
  return moves;
}

/** Moves the file to its old path; if that is not possible, it remains where it is. */
async function returnTo(before: TreeSnapshot, at: string, from: string): Promise<Done> {
  const obstacle = (await obstacleAbove(before, at, 'leave')) ?? (await obstacleAbove(before, from, 'make'));
  if (obstacle !== null) return refused(`it was ${from} before, of which no copy was kept, and ${obstacle}`);
  await moveBack(before, at, from);
  return { how: 'done', keptIn: String(placeIn(before, from)) };
}

async function takeAway(before: TreeSnapshot, at: string, backupFolder: string): Promise<Done> {
  const obstacle = await obstacleAbove(before, at, 'leave');
  if (obstacle !== null) return refused(obstacle);
  const present = await standingAt(placeIn(before, at));
  if (present === null) return { how: 'done', keptIn: null };
  if (!present.isDirectory()) return { how: 'done', keptIn: await setAside(placeIn(before, at), backupFolder, at) };
  // A folder is not an entry, unless the stage made it a repository.
  const dotGit = `${at}/.git`;
  if ((await standingAt(placeIn(before, dotGit))) === null) return refused('it is a folder that cannot be looked into');
  return { how: 'done', keptIn: await setAside(placeIn(before, dotGit), backupFolder, dotGit) };
}

async function putBack(
  before: TreeSnapshot,
  at: string,
  entry: TreeEntry,
  copies: Copies,
  backupFolder: string,
): Promise<Done> {
  const cannot = CANNOT[entry.kind]?.(entry) ?? (await copyMistake(copies, at, entry));
  if (cannot !== null) return refused(cannot);
  const obstacle = await obstacleAbove(before, at, 'make');
  if (obstacle !== null) return refused(obstacle);
  const place = placeIn(before, at);
  const present = await standingAt(place);
  if (present?.isDirectory() && !(await removeEmpty(place))) return refused('a folder with other files is there');
  const keptIn = present === null || present.isDirectory() ? null : await setAside(place, backupFolder, at);
  if (entry.kind === 'symlink') await symlink(entry.text!, place);
  else await copyBack(placeOf(copies.folder, besideTree(at)), place, entry);
  return { how: 'done', keptIn };
}

/** The kinds that are not restored, with advice. */
const CANNOT: { [kind in TreeEntry['kind']]?: (entry: TreeEntry) => string } = {
  commit: ({ text }) => `it is a repository of its own, and was at ${text}; git checkout in there puts it back`,
  special: ({ text }) => `it was a ${text}`,
  unreadable: ({ text }) => `it could not be read before (${text})`,
};

async function copyMistake(copies: Copies, at: string, entry: TreeEntry): Promise<string | null> {
  if (entry.kind === 'symlink') return null;
  const [kept, made] = [copies.entries.get(at), copies.made.get(at)];
  if (kept === undefined || made === undefined || !untouched(kept, entry)) return 'no copy of it was kept';
  const copy = await standingAt(placeOf(copies.folder, besideTree(at)));
  if (copy === null || !copy.isFile()) return 'its copy is gone';
  return untouched(entryOf(copy, 'file', null), made) ? null : 'its copy was written to since';
}

/** The copy has the mode of the file. */
async function copyBack(copy: string | Buffer, place: string | Buffer, entry: TreeEntry): Promise<void> {
  await copyFile(copy, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await utimes(place, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
}

/** Describes a part of the path above that is not a folder; makes missing folders if requested. */
async function obstacleAbove(before: TreeSnapshot, at: string, missing: 'make' | 'leave'): Promise<string | null> {
  const { base, within } = siteOf(before, at);
  const parts = within.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const above = parts.slice(0, depth).join('/');
    const place = placeOf(base, above);
    const present = await standingAt(place);
    if (present === null && missing === 'make') await mkdir(place);
    else if (present?.isSymbolicLink()) return `${above} is a symlink now`;
    else if (present !== null && !present.isDirectory()) return `${above} is not a folder now`;
  }
  return null;
}

/** Removes folders that held only the stage's own files. */
async function removeEmptied(before: TreeSnapshot, added: readonly string[]): Promise<void> {
  const folders = new Set<string>(['.']);
  for (let at of before.entries.keys())
    while (!folders.has(at)) {
      folders.add(at);
      at = path.posix.dirname(at);
    }
  for (const gone of added)
    for (let at = path.posix.dirname(gone); !folders.has(at) && !at.startsWith('.git/'); at = path.posix.dirname(at))
      if (!(await removeEmpty(placeIn(before, at)))) break;
}

async function removeEmpty(place: string | Buffer): Promise<boolean> {
  return rmdir(place).then(
    () => true,
    () => false,
  );
}

async function standingAt(place: string | Buffer) {
  return lstat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Returns the new path. Never overwrites what was moved aside before. */
async function setAside(place: string | Buffer, backupFolder: string, at: string): Promise<string> {
  const wanted = besideTree(at);
  await mkdir(placeOf(backupFolder, path.posix.dirname(wanted)), { recursive: true, mode: 0o700 });
  const name = await freeName(backupFolder, wanted);
  const target = placeOf(backupFolder, name);
  try {
    await rename(place, target);
  } catch (error) {
    const present = await lstat(place);
    const movable = present.isFile() || present.isSymbolicLink();
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV' || !movable) throw error;
    if (present.isSymbolicLink()) await symlink(await readlink(place, { encoding: 'buffer' }), target);
    else await copyFile(place, target, constants.COPYFILE_EXCL);
    await unlink(place);
  }
  return path.join(backupFolder, name);
}

async function freeName(backupFolder: string, at: string): Promise<string> {
  for (let copy = 0; ; copy++) {
    const name = copy === 0 ? at : `${at}~${copy}`;
    const present = await lstat(placeOf(backupFolder, name)).catch(() => null);
    if (present === null) return name;
  }
}

/** The old path of each added path that is a moved file, if it is free. Without a copy, that file is the original. */
async function movesAmong(
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
async function moveBack(before: TreeSnapshot, at: string, from: string): Promise<void> {
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
