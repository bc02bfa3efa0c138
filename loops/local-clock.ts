// The clock that verdicts are given by: the present, where this machine is, since the CLIs print local wall times.

import type { Clock } from '../policies/time/clock.ts';

/** The zone is looked up when it is asked for: most verdicts need none, and Intl takes 15 ms to load. */
export const localClock = (now: Date): Clock => ({
  now,
  get timeZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  },
});
