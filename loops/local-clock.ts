// The clock that verdicts are given by: the present, where this machine is, since the CLIs print local wall times.

import type { Clock } from '../policies/clock.ts';

export const localClock = (now: Date): Clock => ({ now, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
