// Durations as a person writes them for a flag.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wholeDuration } from '../../../policies/facts/duration.ts';

const ROWS: [text: string, ms: number | null][] = [
  ['30d', 2_592_000_000],
  ['30 days', 2_592_000_000],
  [' 12 hours ', 43_200_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['1 week, 2 days and 3 hours', 788_400_000],
  ['500ms', 500],
  ['0s', 0],
  ['', null],
  ['30', null],
  ['d', null],
  ['30 dogs', null],
  ['30d ago', null],
  ['in 30d', null],
  ['-30d', null],
];
for (const [text, ms] of ROWS)
  test(`"${text}" is ${ms === null ? 'none' : `${ms} ms`}`, () => {
    assert.is(wholeDuration(text), ms);
  });

test.run();
