// Which failures of many tasks are one: equal in their signature, else in class and reason, else in what is said of them.

import type { ErrorClass } from '../facts/classes.ts';

export interface FailedOnce {
  signature: string | null;
  class: ErrorClass | null;
  reason: string | null;
  /** Where there is no class. */
  message?: string | null;
}

/** The most frequent first, and in each those that are the same, in the order given. */
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
