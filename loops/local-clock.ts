// Returns the clock for verdicts: the present time and this machine's time zone, since the CLIs print local wall times.

import type { Clock } from '../policies/facts/clock.ts';

/** Looks up the zone only on demand: most verdicts need none, and Intl takes 15 ms to load. */
export const localClock = (now: Date): Clock => ({
  now,
  get timeZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  },
});
