// What is in a tree at one moment: taken before a stage and after it, to be compared.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type KeptOut, watchOf } from '../../policies/gate/scope.ts';
import { findGit, type GitPlace, gitAt } from '../../state/disk/git-place.ts';
import { readContents } from './content.ts';
import type { TreeEntry } from './entry.ts';
import { ignoredFolders } from './git.ts';
import { commitOf, ruleFiles } from './git-place.ts';
import { placeOf } from './names.ts';
import { walk } from './walk.ts';

export interface SnapshotOptions {
  /** Absolute. */
  root: string;
  /** Absolute folders that are not looked into, within the root or not: the state folder `.tmp`. */
  apart: readonly string[];
  /** What git ignores: left out of the changes, or looked at like everything else. */
  ignored: 'left_out' | 'looked_at';
  /** Looked at whether or not git ignores it; nothing unless said. */
  keptOut?: KeptOut;
  /** The snapshot that this one will be compared with: what it did not look into is not looked into. */
  before?: TreeSnapshot;
  /** Any earlier one of this tree: files that were not written to since are not read again. */
  earlier?: TreeSnapshot;
}

export interface TreeSnapshot {
  root: string;
  ignored: 'left_out' | 'looked_at';
  entries: Map<string, TreeEntry>;
  /** The repository that the root lies in. */
  git: GitPlace | null;
  /** The commit that it is at. */
  head: string | null;
  /** Files outside of the tree's own `.gitignore` files that decide what is ignored: those of nested repositories too. */
  rules: Record<string, string>;
  /** Ignored folders of a large tree, of which `entries` has only what `keptOut` names. */
  pruned: string[];
  keptOut: KeptOut;
}

/**
 * Takes one; throws nothing that the tree is to blame for. A tree of 100,000 files takes about half a second, in steps that
 * let others run. In a git tree that turns out large, git is asked once which folders it ignores, and of them is walked
 * only where something may lie that `keptOut` names, now and for the snapshot that is compared with this one; else no process
 * is started.
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

/** Where an entry lies on the disk. */
export function placeIn(snapshot: TreeSnapshot, at: string): string | Buffer {
  const { base, within } = siteOf(snapshot, at);
  return placeOf(base, within);
}

/** The folder that an entry belongs to, and its path in there: git's own files may lie outside of the root. */
export function siteOf({ root, git }: TreeSnapshot, at: string): { base: string; within: string } {
  const internal = git !== null && git.top === root && at.startsWith('.git/');
  return internal ? { base: git.common, within: at.slice('.git/'.length) } : { base: root, within: at };
}

/** The repositories below the root that have one of their own. */
export function nestedIn({ entries }: Pick<TreeSnapshot, 'entries'>): string[] {
  return [...entries].flatMap(([at, { kind }]) => (kind === 'commit' ? [at] : []));
}

export const NOTHING: KeptOut = { deny: [], forbidden: [] };

/** From here on it pays to ask git what need not be walked. */
const LARGE_TREE = 20_000;

function rulesOf(root: string, git: GitPlace, entries: Map<string, TreeEntry>): Record<string, string> {
  const nested = nestedIn({ entries }).map((at) => gitAt(path.join(root, at)));
  return Object.assign({}, ruleFiles(root, git), ...nested.map((own) => (own === null ? {} : ruleFiles(own.top, own))));
}

/**
 * The kernel's clock for files goes in ticks of up to 10 ms (a second on some old file systems): a file that is written to
 * twice in one tick has the same ctime (Linux from 6.13 on tells the two apart). So nobody gets the snapshot before the
 * tick of its newest file is over.
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
