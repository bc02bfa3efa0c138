// Named timers, each of which can be set anew; all are dropped at once, and none is set after that.

interface Watchdogs {
  set(name: string, afterMs: number, onExpire: () => void): void;
  drop(name: string): void;
  release(): void;
}

/** The longest time that a timer of Node can hold; a longer one would fire at once. */
const LONGEST_MS = 2_147_483_647;

export function createWatchdogs(): Watchdogs {
  const timers = new Map<string, NodeJS.Timeout>();
  let released = false;
  return {
    set(name, afterMs, onExpire) {
      if (released) return;
      const old = timers.get(name);
      if (old !== undefined) clearTimeout(old);
      timers.set(name, setTimeout(onExpire, Math.min(afterMs, LONGEST_MS)));
    },
    drop(name) {
      clearTimeout(timers.get(name));
      timers.delete(name);
    },
    release() {
      released = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
