// Limits the heap of a process that reads much text, or that waits for days.

/** For a flood of text: it is garbage at once, and would let the young heap grow to 48 MB. */
export const keepYoungHeapSmall = (): void => setFlags('--semi-space-growth-factor=1');

/** For a process that stays for days and mostly waits: garbage is collected early, rather than the heap grown to twice what is kept. */
export const keepHeapSmall = (): void => setFlags('--semi-space-growth-factor=1', '--optimize-for-size');

function setFlags(...flags: string[]): void {
  saveCaches();
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}

/** Those that `bin/cached-start.cjs` would save at the end: V8 takes a cache by its flags, and the next process begins with its own. */
function saveCaches(): void {
  const shared = globalThis as { [key: symbol]: unknown };
  const caches = shared[CACHES];
  if (Array.isArray(caches)) for (const save of caches.splice(0)) (save as () => void)();
  shared[CACHES] = Object.assign([], { push: () => 0 });
}

const CACHES = Symbol.for('tollgate caches');
