// Groups equal failures of many tasks: by signature, else by class and reason, else by message.

import type { ErrorClass } from '../facts/classes.ts';

export interface FailedOnce {
  signature: string | null;
  class: ErrorClass | null;
  reason: string | null;
  /** Used if there is no class. */
  message?: string | null;
}

/** The most frequent group first; within a group, in the given order. */
export function gatherFailures<T extends FailedOnce>(failed: readonly T[]): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of failed) {
    const key = one.signature ?? (one.class === null ? `says ${one.message}` : `is ${one.class} ${one.reason}`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}
