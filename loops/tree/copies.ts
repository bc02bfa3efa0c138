// Copies the files that the scope protects from an agent, before it starts, so that they can be restored.

import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../state/system-error.ts';
import { besideTree, entryOf, placeOf, type TreeEntry, untouched } from './entry.ts';
import { loadSnapshot, placeIn, saveSnapshot, type TreeSnapshot } from './snapshot.ts';

export interface Copies {
  /** Has the same layout as the tree. */
  folder: string;
  /** The entries of the copied files at the time of the copy; symlinks by their target alone. */
  entries: ReadonlyMap<string, TreeEntry>;
  /** The entries of the copies themselves. A copy that was written to later is not valid. */
  made: ReadonlyMap<string, TreeEntry>;
}

export type KeptCopies =
  | { how: 'kept'; copies: Copies }
  | { how: 'too_large'; message: string }
  | { how: 'failed'; message: string };

interface KeepOptions {
  snapshot: TreeSnapshot;
  outOfScope: (path: string) => boolean;
  /** The stage's own folder; mode 0700. Copies of an earlier attempt in it are kept and updated. */
  folder: string;
  maxBytes?: number;
}

/**
 * Copies every out-of-scope file of the snapshot; if the file system supports it, without copying bytes. A file that no longer
 * matches the snapshot is not copied: after a failed attempt it is the agent's, and the earlier copy remains. In the ignored
 * folders of a large tree, only the files that the snapshot has are copied, unless they are too many or too large. Then a change
 * is found but not restored.
 */
export async function keepCopies({
  snapshot,
  outOfScope,
  folder,
  maxBytes = MAX_BYTES,
}: KeepOptions): Promise<KeptCopies> {
  const all = [...snapshot.entries].filter(([at, { kind }]) => KEPT.has(kind) && outOfScope(at));
  const inPruned = snapshot.pruned.length === 0 ? [] : all.filter(([at]) => isPruned(snapshot, at));
  const leavesOut = inPruned.length > MAX_PRUNED || bytesOf(all) > maxBytes;
  const wanted = leavesOut ? all.filter(([at]) => !isPruned(snapshot, at)) : all;
  const bytes = bytesOf(wanted);
  if (bytes > maxBytes) {
    const message = `${wanted.length} files out of scope have ${bytes} bytes, and at most ${maxBytes} are copied; narrow the scope, or run without --restore`;
    return { how: 'too_large', message };
  }
  const earlier = await loadCopies(folder);
  const copies = {
    folder: path.join(folder, TREE),
    entries: new Map<string, TreeEntry>(),
    made: new Map<string, TreeEntry>(),
  };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await inLanes(wanted, async ([at, entry]) => {
      const [old, copy] = [earlier?.entries.get(at), earlier?.made.get(at)];
      const kept = old !== undefined && copy !== undefined && untouched(old, entry);
      const made = entry.kind === 'symlink' ? entry : kept ? copy : await copyOf(snapshot, at, entry, copies.folder);
      if (made === null) return;
      copies.entries.set(at, entry);
      copies.made.set(at, made);
    });
    await saveSnapshot(path.join(folder, LISTS.entries), { ...snapshot, entries: copies.entries });
    await saveSnapshot(path.join(folder, LISTS.made), { ...snapshot, entries: copies.made });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { message } = error;
    return { how: 'failed', message: `what is out of scope cannot be copied to ${folder} (${message})` };
  }
  return { how: 'kept', copies };
}

/** Loads the copies of an earlier attempt; null if there are none that can be read. */
export async function loadCopies(folder: string): Promise<Copies | null> {
  const [entries, made] = await Promise.all(Object.values(LISTS).map((name) => loadSnapshot(path.join(folder, name))));
  if (!entries || !made) return null;
  return { folder: path.join(folder, TREE), entries: entries.entries, made: made.entries };
}

const bytesOf = (wanted: readonly [string, TreeEntry][]): number =>
  wanted.reduce((sum, [, { kind, size }]) => sum + (kind === 'file' ? size : 0), 0);

const isPruned = ({ pruned }: TreeSnapshot, at: string): boolean =>
  pruned.some((folder) => at.startsWith(`${folder}/`));

/** The limit of files in ignored folders, which can be made again. */
const MAX_PRUNED = 10_000;
const MAX_BYTES = 1024 ** 3;
const LANES = 4;
const LISTS = { entries: 'kept', made: 'copies' } as const;
const TREE = 'tree';
const KEPT: ReadonlySet<TreeEntry['kind']> = new Set(['file', 'symlink']);

/** @returns null if the file no longer matches the snapshot, or cannot be read. */
async function copyOf(snapshot: TreeSnapshot, at: string, entry: TreeEntry, folder: string): Promise<TreeEntry | null> {
  const source = placeIn(snapshot, at);
  const stats = await lstat(source).catch(() => null);
  if (stats === null || !stats.isFile() || !untouched(entryOf(stats, 'file', null), entry)) return null;
  const name = besideTree(at);
  const copy = placeOf(folder, name);
  await mkdir(placeOf(folder, path.posix.dirname(name)), { recursive: true, mode: 0o700 });
  await rm(copy, { force: true });
  try {
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (UNREADABLE.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  return entryOf(await lstat(copy), 'file', null);
}

const UNREADABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT']);

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
