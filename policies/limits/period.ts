// Computes the day, week or month that contains an instant, in a time zone.

import { instantOf, type WallTime, wallTimeOf } from '../facts/zone.ts';
import type { Period } from './limits.ts';

/** `from` is part of the period; `until` is the first instant of the next one. */
interface PeriodSpan {
  from: Date;
  until: Date;
}

export function periodAt(per: Period, now: Date, zone: string): PeriodSpan {
  // This avoids Intl for UTC, which takes 15 ms to load.
  const place = zone === 'UTC' ? '+00:00' : zone;
  const { year, month, day } = wallTimeOf(now, place);
  const first = FIRST[per](year, month, day);
  const midnight = (ahead: number): Date => {
    const [y, m, d] = per === 'month' ? [year, month + ahead, 1] : [year, month, first + ahead * DAYS[per]];
    return firstInstant({ year: y!, month: m!, day: d!, hour: 0, minute: 0, second: 0 }, place);
  };
  return { from: midnight(0), until: midnight(1) };
}

/** The day of the month on which the period begins; a week may begin in the month before. */
const FIRST: Record<Period, (year: number, month: number, day: number) => number> = {
  day: (_year, _month, day) => day,
  // Monday.
  week: (year, month, day) => day - ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7),
  month: () => 1,
};

const DAYS = { day: 1, week: 7 } as const;

/** If clocks are put forward at midnight, the day begins later. */
function firstInstant(midnight: WallTime, zone: string): Date {
  const instant = instantOf(midnight, zone);
  const shown = wallTimeOf(instant, zone);
  const expected = new Date(Date.UTC(midnight.year, midnight.month - 1, midnight.day));
  if (shown.day === expected.getUTCDate()) return instant;
  return instantOf({ ...midnight, hour: 1 }, zone);
}
