// Pauses between two calls: for a time, or until a time of day, which a clock change or a suspend may bring nearer.

import { setTimeout as pause } from 'node:timers/promises';

/** A timer of more than 24.8 days would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Counts time while the machine is awake. Ends at once when `stop` aborts. */
export async function pauseFor(ms: number, stop: AbortSignal): Promise<void> {
  for (let remainingMs = ms; remainingMs > 0 && !stop.aborted; remainingMs -= LONGEST_TIMER_MS)
    await pause(Math.min(remainingMs, LONGEST_TIMER_MS), undefined, { signal: stop }).catch(() => {});
}

/** How often the time of day is checked. */
const LOOK_MS = 30_000;

/** Pauses until the time of day is `until`, but never for more than `atMostMs` while the machine is awake. */
export async function pauseUntil(
  until: Date,
  atMostMs: number,
  clock: () => Date,
  stop: AbortSignal,
  rest = pauseFor,
): Promise<void> {
  for (let remainingMs = atMostMs; remainingMs > 0 && !stop.aborted; ) {
    const toGo = until.getTime() - clock().getTime();
    if (toGo <= 0) return;
    const part = Math.min(toGo, remainingMs, LOOK_MS);
    await rest(part, stop);
    remainingMs -= part;
  }
}
