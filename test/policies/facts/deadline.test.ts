// How long a machine slept, from both of its clocks before and after.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MachineClocks, sleptBetween } from '../../../policies/facts/deadline.ts';

const MINUTE = 60_000;
const at = (steadyMs: number, bootMs: number): MachineClocks => ({ steadyMs, bootMs });

const ROWS: [what: string, then: MachineClocks, now: MachineClocks, sleptMs: number][] = [
  ['both continue alike', at(1000, 1000), at(1000 + MINUTE, 1000 + MINUTE), 0],
  ['it slept before, but not since', at(1000, 9 * MINUTE), at(2000, 9 * MINUTE + 1000), 0],
  ['it slept', at(1000, 1000), at(2000, 2000 + MINUTE), MINUTE],
  ['it slept again', at(1000, 9 * MINUTE), at(2000, 9 * MINUTE + 1000 + 61_500.4), 61_500],
  ['a clock that tells hundredths only', at(1000.7, 1000), at(2000.2, 2010), 0],
  ['5 s are nobody missed', at(0, 0), at(0, 5000), 0],
  ['a little more counts', at(0, 0), at(0, 5001), 5001],
  ['another boot, or clocks that lie', at(9 * MINUTE, 9 * MINUTE), at(1000, 500), 0],
];

for (const [what, then, now, sleptMs] of ROWS)
  test(what, () => {
    assert.is(sleptBetween(then, now), sleptMs);
  });

test.run();
