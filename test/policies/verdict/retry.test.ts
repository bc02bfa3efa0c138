import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exponential, RETRY_GROWTH, SESSION_STEP_MS, waitBefore } from '../../../policies/verdict/retry.ts';

const NOW = new Date('2026-11-21T21:00:00.000Z');
const most = () => 0.999_999;
const least = () => 0;
const wait = (asked: Partial<Parameters<typeof waitBefore>[0]> = {}) =>
  waitBefore({ retryAt: null, sessionMs: 0, attempt: 1, now: NOW, random: least, ...asked });

test('each step may last twice as long as the one before, up to the longest', () => {
  let step = exponential({ firstMs: 1000, factor: 2, maxMs: 5000 });
  const lengths = [];
  for (let i = 0; i < 5; i++) {
    lengths.push(step.delayMs(most) + 1);
    step = step.next();
  }
  assert.equal(lengths, [1000, 2000, 4000, 5000, 5000]);
});

test('with full jitter a step may last no time at all', () => {
  assert.is(exponential(RETRY_GROWTH).next().delayMs(least), 0);
  assert.is(
    exponential(RETRY_GROWTH).delayMs(() => 0.5),
    1000,
  );
});

test('a schedule is a value: a step asked twice answers the same', () => {
  const first = exponential(RETRY_GROWTH);
  const second = first.next();
  assert.is(first.delayMs(most), 1999);
  assert.is(second.delayMs(most), 3999);
  assert.is(first.next().delayMs(most), 3999);
});

test('the longest wins: the service, the session, the schedule', () => {
  assert.is(wait(), 0);
  assert.is(wait({ random: most }), 1999);
  assert.is(wait({ attempt: 3, random: most }), 7999);
  assert.is(wait({ attempt: 1_000_000, random: most }), RETRY_GROWTH.maxMs - 1);
  assert.is(wait({ sessionMs: 2 * SESSION_STEP_MS, random: most }), 2 * SESSION_STEP_MS);
  assert.is(wait({ sessionMs: 2 * SESSION_STEP_MS, retryAt: '2026-11-21T21:00:34.000Z' }), 34_000);
  assert.is(wait({ sessionMs: 4 * SESSION_STEP_MS, retryAt: '2026-11-21T21:00:34.000Z' }), 40_000);
});

test('a time that has passed asks for nothing', () => {
  assert.is(wait({ retryAt: '2026-11-21T20:00:00.000Z' }), 0);
});

test.run();
