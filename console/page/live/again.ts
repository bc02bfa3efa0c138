// Asks again by itself for what did not come: after a second at first, then ever less often, until it came or nobody wants it.

import type { Signal } from '../reactive.ts';

const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

interface Again {
  /** It did not come, once more. */
  later: () => void;
  /** It came, or is not asked for again: the next time begins with the shortest wait. */
  rest: () => void;
}

/** @param at when it is asked, as ISO time; null while nothing is waited for. */
export function againBy(ask: () => void, at: Signal<string | null>): Again {
  let times = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    at.value = null;
  };
  return {
    later() {
      end();
      const waitMs = WAITS_MS[Math.min(times, WAITS_MS.length - 1)]!;
      times += 1;
      at.value = new Date(Date.now() + waitMs).toISOString();
      timer = setTimeout(() => {
        at.value = null;
        ask();
      }, waitMs);
    },
    rest() {
      end();
      times = 0;
    },
  };
}
