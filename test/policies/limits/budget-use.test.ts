// Days, weeks and months by the clocks of a zone: over a change of the clocks, and on a month's last day.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { periodAt } from '../../../policies/limits/budget-use.ts';
import type { Period } from '../../../policies/limits/limits.ts';

const ROWS: [per: Period, now: string, zone: string, from: string, until: string][] = [
  ['day', '2026-11-23T12:00:00Z', 'UTC', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'],
  ['day', '2026-11-23T23:30:00Z', 'Europe/Berlin', '2026-11-23T23:00:00Z', '2026-11-24T23:00:00Z'],
  // Clocks go forward: 23 hours. And back: 25.
  ['day', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['day', '2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  // There is no midnight: the day begins at one.
  ['day', '2026-09-06T12:00:00Z', 'America/Santiago', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
  ['day', '2026-11-23T12:00:00Z', 'Asia/Kathmandu', '2026-11-22T18:15:00Z', '2026-11-23T18:15:00Z'],
  ['day', '2026-11-23T01:00:00Z', '-02:00', '2026-11-22T02:00:00Z', '2026-11-23T02:00:00Z'],
  // From Monday, also where that is of the month or the year before.
  ['week', '2026-11-29T23:59:59Z', 'UTC', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['week', '2027-01-01T00:00:00Z', 'UTC', '2026-12-28T00:00:00Z', '2027-01-04T00:00:00Z'],
  ['month', '2026-01-31T23:59:59Z', 'UTC', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  ['month', '2028-02-29T12:00:00Z', 'UTC', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', '2026-12-31T23:00:00Z', 'Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-31T23:00:00Z'],
];

for (const [per, now, zone, from, until] of ROWS)
  test(`the ${per} of ${now} in ${zone}`, () => {
    const span = periodAt(per, new Date(now), zone);
    assert.equal(
      [span.from, span.until].map((at) => at.toISOString()),
      [from, until].map((at) => new Date(at).toISOString()),
    );
  });

test.run();
