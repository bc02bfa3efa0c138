// Walks a tree: lists its entries, and reads contents where that is cheap; follows no symlink, and omits what vanishes.

import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { watchOf } from '../../policies/gate/scope.ts';
import { gitAt } from '../../state/disk/git-place.ts';
import { isSystemError } from '../../state/system-error.ts';
import { bareEntry, entryOf, isLossy, nameOf, placeOf, type TreeEntry, untouched } from './entry.ts';
import { commitOf } from './repository.ts';

interface WalkOptions {
  root: string;
  /** Folders that are not read, relative to the root: the state of Tollgate. */
  apart: ReadonlySet<string>;
  /** Large ignored folders. In these, only watched paths are read, and only where there may be any. */
  pruned: ReadonlySet<string>;
  watch: ReturnType<typeof watchOf>;
  /** The folder of the root's own git settings; null if it has none. */
  gitCommon: string | null;
  /** The walk stops if there are more entries. */
  maxEntries: number;
}

/** The entries by path, with `/`; null if stopped. A folder is no entry, so an empty one is no change. */
export async function walk(options: WalkOptions): Promise<Map<string, TreeEntry> | null> {
  const { root, apart, pruned, watch, gitCommon, maxEntries } = options;
  const entries = new Map<string, TreeEntry>();
  const folders: Place[] = [];
  const breathe = breathing();
  if (gitCommon !== null)
    for (const name of GIT_INTERNALS)
      look({ base: gitCommon, path: name, prefix: '.git/', isPruned: false }, entries, folders);
  folders.push({ base: root, path: '', prefix: '', isPruned: false });
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { base, path, prefix } = folder;
    for (const child of listFolder(folder, entries)) {
      const pause = breathe();
      if (pause !== null) await pause;
      const name = path === '' ? child.name : `${path}/${child.name}`;
      const isPruned = folder.isPruned || (prefix === '' && pruned.has(name));
      const at = { base, path: name, prefix, isPruned };
      if (prefix === '' && apart.has(name)) continue;
      if (isPruned && !isWatched(child, name, watch)) continue;
      if (prefix === '' && child.name === '.git') noteGit(folder, at, entries);
      else if (child.isDirectory()) folders.push(at);
      else look(at, entries, folders);
    }
    if (entries.size > maxEntries) return null;
  }
  return entries;
}

/** A process that writes these files can run code or hide changes. (`info/refs` is git's own housekeeping.) */
const GIT_INTERNALS = [
  'config',
  'config.worktree',
  'hooks',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'info/sparse-checkout',
] as const;

interface Place {
  base: string;
  path: string;
  /** The text before the path in an entry's name. */
  prefix: '' | '.git/';
  isPruned: boolean;
}

/** Within ignored folders: the watched paths, and the folders on the way to them. */
const isWatched = (
  child: ReturnType<typeof listFolder>[number],
  name: string,
  watch: ReturnType<typeof watchOf>,
): boolean => (child.isDirectory() ? child.name !== '.git' && watch.reaches(name) : watch.names(name));

function listFolder({ base, path, prefix }: Place, entries: Map<string, TreeEntry>) {
  const place = placeOf(base, path);
  try {
    const children = readdirSync(place, { withFileTypes: true });
    if (!children.some(({ name }) => isLossy(name))) return children;
    return readdirSync(place, { encoding: 'buffer' }).map((bytes) => {
      const name = nameOf(bytes);
      const stats = lstatSync(placeOf(base, path === '' ? name : `${path}/${name}`), { throwIfNoEntry: false });
      return { name, isDirectory: () => stats?.isDirectory() ?? false };
    });
  } catch (error) {
    noteError(`${prefix}${path}`, error, entries);
    return [];
  }
}

function look(at: Place, entries: Map<string, TreeEntry>, folders: Place[]): void {
  const place = placeOf(at.base, at.path);
  const name = `${at.prefix}${at.path}`;
  try {
    const stats = lstatSync(place);
    if (stats.isFile()) entries.set(name, entryOf(stats, 'file', null));
    else if (stats.isDirectory()) folders.push(at);
    else if (stats.isSymbolicLink()) entries.set(name, entryOf(stats, 'symlink', targetOf(place)));
    else entries.set(name, entryOf(stats, 'special', specialKind(stats)));
  } catch (error) {
    noteError(name, error, entries);
  }
}

/** Looks only into the root's `.git`, and lists it only if it is no folder. Another `.git` is a nested repository. */
function noteGit(folder: Place, at: Place, entries: Map<string, TreeEntry>): void {
  if (folder.path === '') {
    look(at, entries, []);
    return;
  }
  const git = gitAt(String(placeOf(folder.base, folder.path)));
  entries.set(folder.path, bareEntry('commit', git === null ? 'no repository' : commitOf(git)));
}

/** Lists an entry that cannot be read, because it may hold anything. Omits one that vanished since it was listed. */
function noteError(name: string, error: unknown, entries: Map<string, TreeEntry>): void {
  if (!isSystemError(error)) throw error;
  const { code } = error;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') entries.set(name, bareEntry('unreadable', code));
}

function targetOf(place: string | Buffer): string {
  const target = readlinkSync(place);
  return isLossy(target) ? nameOf(readlinkSync(place, { encoding: 'buffer' })) : target;
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return `${stats.isBlockDevice() ? 'block' : 'character'} device ${stats.rdev}`;
}

/**
 * The cost of a read (8 µs for a small file in memory) limits what is read. Small files are read in the order of the walk, up to
 * these limits for one snapshot. Contents that are known from an earlier snapshot of the same tree are not read again. So a large
 * tree is known after a few stages. An unknown file counts as changed as soon as its stat changes.
 */
const MAX_FILE_BYTES = 64 * 1024;

const MAX_FILES = 40_000;

const MAX_BYTES = 64 * 1024 * 1024;

/** Sets the hash of each file that is known or read. */
export async function readContents(
  entries: ReadonlyMap<string, TreeEntry>,
  placeOf: (path: string) => string | Buffer,
  known: ReadonlyMap<string, TreeEntry>,
): Promise<void> {
  const breathe = breathing();
  let [filesLeft, bytesLeft] = [MAX_FILES, MAX_BYTES];
  for (const [path, entry] of entries) {
    if (entry.kind !== 'file') continue;
    const old = known.get(path);
    const oldHash = old?.kind === 'file' ? old.text : null;
    if (oldHash !== null && untouched(old!, entry)) {
      entry.text = oldHash;
      continue;
    }
    // The file was written to and has the same size. The snapshot must find out whether it changed, whatever that costs.
    const isRequired = oldHash !== null && old!.size === entry.size;
    if (!isRequired && (entry.size > Math.min(MAX_FILE_BYTES, bytesLeft) || filesLeft === 0)) continue;
    if (!isRequired) [filesLeft, bytesLeft] = [filesLeft - 1, bytesLeft - entry.size];
    entry.text = hashFile(placeOf(path), entry);
    const pause = breathe();
    if (pause !== null) await pause;
  }
}

const BUFFER = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** @returns null if the file is no longer the file of the entry, or cannot be read. */
function hashFile(place: string | Buffer, entry: TreeEntry): string | null {
  let file: number | null = null;
  try {
    file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (readSync(file, BUFFER, 0, BUFFER.length, 0) !== entry.size) return null;
    if (!untouched(entryOf(fstatSync(file), 'file', null), entry)) return null;
    return hash('sha256', BUFFER.subarray(0, entry.size), 'base64');
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** After this time other tasks get their turn. */
const STEP_MS = 8;

/** Returns a function for frequent calls; it lets other tasks run if the last pause is long enough ago. */
export function breathing(): () => Promise<void> | null {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP_MS) return null;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
