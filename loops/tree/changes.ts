// Finds what a stage changed in the tree: the difference of two snapshots, without unprotected files that git ignores.

import type { Change } from '../../policies/facts/gate-record.ts';
import { watchOf } from '../../policies/gate/scope.ts';
import { compareEntries, joinRenames } from './compare.ts';
import { ignoredAmong } from './ignored.ts';
import type { TreeSnapshot } from './snapshot.ts';

/**
 * Returns the changes by path. What counts: content, mode and kind of a file, a symlink's target, and a nested repository's
 * commit. Of git's own files, settings, hooks and `info` count. A file whose stat changed is a change unless its content is known
 * to be the same. What `after` keeps an agent out of counts even if git ignores it. `after` must have been taken with `before`.
 * Starts git only if something changed that it could ignore.
 */
export async function changesBetween(before: TreeSnapshot, after: TreeSnapshot): Promise<Change[]> {
  const all = compareEntries(before.entries, after.entries);
  const ignored = before.ignored === 'left_out' && all.length > 0 ? await ignoredAmong(all, before, after) : new Set();
  const { names } = watchOf(after.keptOut);
  const counted = all.filter(({ path }) => !ignored.has(path) || names(path));
  return joinRenames(counted, before.entries, after.entries);
}
