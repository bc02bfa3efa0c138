// Takes a snapshot of a tree, before a stage and after it, for a comparison.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type KeptOut, watchOf } from '../../policies/gate/scope.ts';
import { findGit, type GitPlace, gitAt } from '../../state/disk/git-place.ts';
import { readContents } from './content.ts';
import type { TreeEntry } from './entry.ts';
import { commitOf, ruleFiles } from './git-place.ts';
import { ignoredFolders } from './git-trees.ts';
import { placeOf } from './names.ts';
import { walk } from './walk.ts';

export interface SnapshotOptions {
  /** Absolute. */
  root: string;
  /** Absolute folders that are not read, within the root or not: the state folder `.tmp`. */
  apart: readonly string[];
  /** Whether the paths that git ignores are left out of the changes, or looked at like all others. */
  ignored: 'left_out' | 'looked_at';
  /** Paths that are looked at even if git ignores them; none by default. */
  keptOut?: KeptOut;
  /** The snapshot for the later comparison. Folders that it did not read are not read now. */
  before?: TreeSnapshot;
  /** Any earlier snapshot of this tree: files that were not written to since then are not read again. */
  earlier?: TreeSnapshot;
}

export interface TreeSnapshot {
  root: string;
  ignored: 'left_out' | 'looked_at';
  entries: Map<string, TreeEntry>;
  /** The repository that contains the root. */
  git: GitPlace | null;
  /** The repository's current commit. */
  head: string | null;
  /** Files outside of the tree's own `.gitignore` files that decide what is ignored, also those of nested repositories. */
  rules: Record<string, string>;
  /** Ignored folders of a large tree. Of these, `entries` has only what `keptOut` names. */
  pruned: string[];
  keptOut: KeptOut;
}

/**
 * Takes a snapshot; throws no errors that the tree causes. A tree of 100,000 files takes about half a second, in steps that let
 * other tasks run. In a large git tree, git is called once to list the ignored folders. These are walked only where there may be
 * paths that `keptOut` names, now and for the snapshot of the comparison. Otherwise no process is started.
 */
export async function takeSnapshot(options: SnapshotOptions): Promise<TreeSnapshot> {
  const root = resolved(options.root);
  const apart = options.apart.map((folder) => path.relative(root, resolved(folder)));
  const git = findGit(root);
  const gitCommon = git !== null && git.top === root ? git.common : null;
  const { keptOut = NOTHING } = options;
  const watch = watchOf(keptOut);
  const walkOf = (pruned: readonly string[], maxEntries: number) =>
    walk({ root, apart: new Set(apart), pruned: new Set(pruned), watch, gitCommon, maxEntries });
  const prunes = git !== null && options.ignored === 'left_out' && options.before === undefined;
  let pruned = options.before?.pruned ?? [];
  let entries = await walkOf(pruned, prunes ? LARGE_TREE : Number.POSITIVE_INFINITY);
  if (entries === null) {
    pruned = await ignoredFolders(root);
    entries = (await walkOf(pruned, Number.POSITIVE_INFINITY))!;
  }
  const snapshot: TreeSnapshot = {
    root,
    ignored: options.ignored,
    entries,
    git,
    head: git === null ? null : commitOf(git),
    rules: git === null ? {} : rulesOf(root, git, entries),
    pruned,
    keptOut,
  };
  await readContents(entries, (at) => placeIn(snapshot, at), (options.before ?? options.earlier)?.entries ?? new Map());
  await settle(entries);
  return snapshot;
}

/** Returns the path of an entry on disk. */
export function placeIn(snapshot: TreeSnapshot, at: string): string | Buffer {
  const { base, within } = siteOf(snapshot, at);
  return placeOf(base, within);
}

/** Returns the base folder of an entry, and its path in there: git's own files may be outside of the root. */
export function siteOf({ root, git }: TreeSnapshot, at: string): { base: string; within: string } {
  const internal = git !== null && git.top === root && at.startsWith('.git/');
  return internal ? { base: git.common, within: at.slice('.git/'.length) } : { base: root, within: at };
}

/** Returns the nested repositories below the root. */
export function nestedIn({ entries }: Pick<TreeSnapshot, 'entries'>): string[] {
  return [...entries].flatMap(([at, { kind }]) => (kind === 'commit' ? [at] : []));
}

export const NOTHING: KeptOut = { deny: [], forbidden: [] };

/** From this size it is faster to let git list what need not be walked. */
const LARGE_TREE = 20_000;

function rulesOf(root: string, git: GitPlace, entries: Map<string, TreeEntry>): Record<string, string> {
  const nested = nestedIn({ entries }).map((at) => gitAt(path.join(root, at)));
  return Object.assign({}, ruleFiles(root, git), ...nested.map((own) => (own === null ? {} : ruleFiles(own.top, own))));
}

/**
 * The kernel's clock for files has ticks of up to 10 ms (a second on some old file systems). A file that is written twice in one
 * tick keeps its ctime (Linux since 6.13 distinguishes the two). So this waits until the tick of the newest file is over.
 */
async function settle(entries: Map<string, TreeEntry>): Promise<void> {
  let newest = 0;
  for (const { ctimeMs } of entries.values()) if (ctimeMs > newest) newest = ctimeMs;
  const tickMs = newest % 1000 === 0 ? 1_020 : 20;
  const leftMs = newest + tickMs - Date.now();
  if (leftMs > 0) await pause(Math.min(leftMs, tickMs));
}

function resolved(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
