// Takes a snapshot of a tree, saves it on disk, and makes the baseline with which a stage is compared.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type KeptOut, watchOf } from '../../policies/gate/scope.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { findGit, type GitPlace, gitAt } from '../../state/disk/git-place.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { placeOf, sameEntry, type TreeEntry } from './entry.ts';
import { commitOf, ignoredFolders, ruleFiles } from './repository.ts';
import { breathing, readContents, walk } from './walk.ts';

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
export function nestedIn(entries: TreeSnapshot['entries']): string[] {
  return [...entries].flatMap(([at, { kind }]) => (kind === 'commit' ? [at] : []));
}

const NOTHING: KeptOut = { deny: [], forbidden: [] };

/** From this size it is faster to let git list what need not be walked. */
const LARGE_TREE = 20_000;

function rulesOf(root: string, git: GitPlace, entries: Map<string, TreeEntry>): Record<string, string> {
  const nested = nestedIn(entries).map((at) => gitAt(path.join(root, at)));
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

const FORMAT = 1;

/** About two million files. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Writes a line for the tree and one for each entry, so that a baseline outlives an interruption. Writes the whole file or
 * nothing, mode 0600; about 120 bytes for each entry. It is not synced: after a power loss it may be missing.
 */
export async function saveSnapshot(file: string, snapshot: TreeSnapshot): Promise<void> {
  const { entries, ...tree } = snapshot;
  const lines = [JSON.stringify({ format: FORMAT, count: entries.size, ...tree })];
  const breathe = breathing();
  for (const [path, { kind, mode, size, mtimeMs, ctimeMs, ino, text }] of entries) {
    lines.push(JSON.stringify([path, kind, mode, size, mtimeMs, ctimeMs, ino, text]));
    const pause = breathe();
    if (pause !== null) await pause;
  }
  await writeAtomic(file, `${lines.join('\n')}\n`, 'renamed');
}

/** @returns null if there is no readable one: a partial baseline would hide changes. */
export async function loadSnapshot(file: string): Promise<TreeSnapshot | null> {
  try {
    const [first = '', ...lines] = readRegular(file, MAX_BYTES).split('\n').slice(0, -1);
    const { format, count, ...tree } = JSON.parse(first);
    if (format !== FORMAT || !isTree(tree)) return null;
    const entries = new Map<string, TreeEntry>();
    const breathe = breathing();
    for (const line of lines) {
      const [path, kind, mode, size, mtimeMs, ctimeMs, ino, text] = JSON.parse(line);
      entries.set(path, { kind, mode, size, mtimeMs, ctimeMs, ino, text });
      const pause = breathe();
      if (pause !== null) await pause;
    }
    // An older snapshot has no list of protected paths, and did not look at them.
    return entries.size === count ? { ...tree, keptOut: tree.keptOut ?? NOTHING, entries } : null;
  } catch {
    return null;
  }
}

function isTree(
  tree: Record<string, unknown>,
): tree is Omit<TreeSnapshot, 'entries' | 'keptOut'> & { keptOut?: KeptOut } & Record<string, unknown> {
  const { root, ignored, rules, pruned, keptOut = NOTHING } = tree;
  return (
    typeof root === 'string' &&
    (ignored === 'left_out' || ignored === 'looked_at') &&
    typeof rules === 'object' &&
    rules !== null &&
    Array.isArray(pruned) &&
    isKeptOut(keptOut)
  );
}

const isKeptOut = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['deny', 'forbidden'].every((list) => list in value && areTexts(value[list as never]));

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

/**
 * Makes the baseline of a repeated stage: the stage's own changes still count, a user's changes since then do not.
 * `before`: the baseline of the stage's first attempt; `afterAttempt`: the tree when its last attempt ended; `now`: the current
 * tree. A path that did not change since the attempt keeps the state of `before`. Every other path gets that of `now`.
 */
export function rebase(before: TreeSnapshot, afterAttempt: TreeSnapshot, now: TreeSnapshot): TreeSnapshot {
  const entries = new Map(before.entries);
  for (const path of new Set([...afterAttempt.entries.keys(), ...now.entries.keys()])) {
    const [then, found] = [afterAttempt.entries.get(path), now.entries.get(path)];
    if (then !== undefined && found !== undefined && sameEntry(then, found)) continue;
    if (found === undefined) entries.delete(path);
    else entries.set(path, found);
  }
  const rules = Object.keys({ ...before.rules, ...now.rules }).flatMap((file) => {
    const kept = afterAttempt.rules[file] === now.rules[file] ? before.rules[file] : now.rules[file];
    return kept === undefined ? [] : [[file, kept] as const];
  });
  const { git, head } = afterAttempt.head === now.head ? before : now;
  return { ...before, git, head, entries, rules: Object.fromEntries(rules), keptOut: now.keptOut };
}

/** A killed run's baseline for a manifest that protects more: ignored paths that it lacks get their current state. */
export function widened(before: TreeSnapshot, now: TreeSnapshot): TreeSnapshot {
  const { names } = watchOf(before.keptOut);
  const isNew = (path: string) =>
    !before.entries.has(path) && !names(path) && before.pruned.some((folder) => path.startsWith(`${folder}/`));
  const found = [...now.entries].filter(([path]) => isNew(path));
  return { ...before, entries: new Map([...before.entries, ...found]), keptOut: now.keptOut };
}
