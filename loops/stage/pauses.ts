// Pauses between two calls: a while, or until a time of day, which a jump of the clock or a sleep of the machine may bring nearer.

import { setTimeout as pause } from 'node:timers/promises';

/** A timer of more than 24.8 days would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Of the machine awake. Ends at once when `stop` aborts. */
export async function pauseFor(ms: number, stop: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !stop.aborted; left -= LONGEST_TIMER_MS)
    await pause(Math.min(left, LONGEST_TIMER_MS), undefined, { signal: stop }).catch(() => {});
}

/** How often the time of day is looked at. */
const LOOK_MS = 30_000;

/** Until it is `until` by the time of day, but never for more than `atMostMs` of the machine awake. */
export async function pauseUntil(
  until: Date,
  atMostMs: number,
  clock: () => Date,
  stop: AbortSignal,
  rest = pauseFor,
): Promise<void> {
  for (let left = atMostMs; left > 0 && !stop.aborted; ) {
    const toGo = until.getTime() - clock().getTime();
    if (toGo <= 0) return;
    const part = Math.min(toGo, left, LOOK_MS);
    await rest(part, stop);
    left -= part;
  }
}
