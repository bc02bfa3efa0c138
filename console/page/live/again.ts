// Repeats a failed request: after one second at first, then at longer intervals, until it succeeds or is cancelled.

import type { Signal } from '../reactive.ts';

const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

interface Again {
  /** The request failed: schedules the next one. */
  later: () => void;
  /** The request succeeded, or is not repeated: the next series begins with the shortest wait. */
  rest: () => void;
}

/** @param at ISO time of the next request; null if none is scheduled. */
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
