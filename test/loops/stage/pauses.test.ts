// A pause until a time of day, by a clock that jumps while the timers of the machine do not.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseUntil } from '../../../loops/stage/pauses.ts';

const HOUR = 3_600_000;

interface Row {
  what: string;
  untilMs: number;
  atMostMs: number;
  /** What the time of day gains over the timer in each rest, by its number. */
  jumps: Record<number, number>;
  rests: number[];
}

const ROWS: Row[] = [
  { what: 'a clock that goes well', untilMs: 70_000, atMostMs: HOUR, jumps: {}, rests: [30_000, 30_000, 10_000] },
  {
    what: 'a machine that slept over it',
    untilMs: 8 * HOUR,
    atMostMs: 9 * HOUR,
    jumps: { 2: 8 * HOUR },
    rests: [30_000, 30_000],
  },
  {
    what: 'a clock that is set forward',
    untilMs: HOUR,
    atMostMs: HOUR,
    jumps: { 1: HOUR - 40_000 },
    rests: [30_000, 10_000],
  },
  {
    what: 'a clock that is set back',
    untilMs: 40_000,
    atMostMs: 90_000,
    jumps: { 1: -20_000 },
    rests: [30_000, 30_000],
  },
  {
    what: 'no longer than was granted, however often it is set back',
    untilMs: 40_000,
    atMostMs: 70_000,
    jumps: { 1: -HOUR },
    rests: [30_000, 30_000, 10_000],
  },
  { what: 'a time that has come', untilMs: 0, atMostMs: HOUR, jumps: {}, rests: [] },
  { what: 'nothing granted', untilMs: HOUR, atMostMs: 0, jumps: {}, rests: [] },
];

for (const { what, untilMs, atMostMs, jumps, rests } of ROWS)
  test(what, async () => {
    let now = 0;
    const seen: number[] = [];
    const rest = async (ms: number) => {
      seen.push(ms);
      now += ms + (jumps[seen.length] ?? 0);
    };
    await pauseUntil(new Date(untilMs), atMostMs, () => new Date(now), new AbortController().signal, rest);
    assert.equal(seen, rests);
  });

test('told to stop, it ends', async () => {
  const stop = new AbortController();
  const rest = async () => stop.abort();
  let rests = 0;
  await pauseUntil(
    new Date(HOUR),
    HOUR,
    () => new Date(0),
    stop.signal,
    () => {
      rests += 1;
      return rest();
    },
  );
  assert.is(rests, 1);
});

test.run();
