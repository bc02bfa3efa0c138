// Makes the baseline of a repeated stage: the stage's own changes still count, a user's changes since then do not.

import { watchOf } from '../../policies/gate/scope.ts';
import { sameEntry } from './entry.ts';
import type { TreeSnapshot } from './snapshot.ts';

/**
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

/**
 * Makes the baseline of a killed run whose manifest now protects more paths. Paths in ignored folders that were not looked at
 * then get their current state.
 */
export function widened(before: TreeSnapshot, now: TreeSnapshot): TreeSnapshot {
  const { names } = watchOf(before.keptOut);
  const isNew = (path: string) =>
    !before.entries.has(path) && !names(path) && before.pruned.some((folder) => path.startsWith(`${folder}/`));
  const found = [...now.entries].filter(([path]) => isNew(path));
  return { ...before, entries: new Map([...before.entries, ...found]), keptOut: now.keptOut };
}
