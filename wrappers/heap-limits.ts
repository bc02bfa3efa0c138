// Limits the heap, and what V8 does beside us: the young one while a flood is read, of text or of tasks, since what is read is garbage at once and would grow it to 48 MB.

import { runInNewContext } from 'node:vm';

export const keepYoungHeapSmall = (): void => setFlags('--semi-space-growth-factor=1');

/** For a process that stays for days and mostly waits: garbage is collected early, rather than the heap grown to twice what is kept. */
export const keepHeapSmall = (): void => setFlags('--semi-space-growth-factor=1', '--optimize-for-size');

/**
 * For a process that mostly calls the system in a loop: V8 would compile its code some hundred times again, on threads beside
 * ours, which took a batch a sixth of its CPU. Eight times as long it waits to see whether that pays.
 */
export const optimiseLate = (): void => setFlags('--interrupt-budget=1048576');

function setFlags(...flags: string[]): void {
  saveCaches();
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}

/** Node collects old garbage when there is as much of it as of all else: what comes next would lie beside it. Some 10 ms. */
export function collectGarbage(): void {
  setFlags('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Those that `bin/cached-start.cjs` would save at the end: V8 takes a cache by its flags, and the next process begins with its own. */
function saveCaches(): void {
  const shared = globalThis as { [key: symbol]: unknown };
  const caches = shared[CACHES];
  if (Array.isArray(caches)) for (const save of caches.splice(0)) (save as () => void)();
  shared[CACHES] = Object.assign([], { push: () => 0 });
}

const CACHES = Symbol.for('tollgate caches');
