// Saves a snapshot on disk, a line for the tree and one for each entry, so that a stage's baseline outlives an interruption.

import type { KeptOut } from '../../policies/gate/scope.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { breathing } from './breath.ts';
import type { TreeEntry } from './entry.ts';
import { NOTHING, type TreeSnapshot } from './snapshot.ts';

const FORMAT = 1;
/** About two million files. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Writes the whole file or nothing, mode 0600; about 120 bytes for each file. It is not synced: after a power loss it may be
 * missing.
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
