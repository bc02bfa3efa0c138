import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryAt } from '../../policies/retry-at.ts';

const NOW = new Date('2026-11-21T21:00:00.000Z');
const at = (text: string, timeZone = 'UTC') => retryAt([text], { now: NOW, timeZone })?.toISOString() ?? null;

const ASKED: [text: string, iso: string | null][] = [
  // Fields and headers.
  ['Retry-After: 120', '2026-11-21T21:02:00.000Z'],
  ['retry-after-ms: 1500', '2026-11-21T21:00:01.500Z'],
  ['{"headers":{"retry-after":"7200"}}', '2026-11-21T23:00:00.000Z'],
  ['Retry-After: Sun, 22 Nov 2026 07:28:00 GMT', '2026-11-22T07:28:00.000Z'],
  ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}', '2026-11-21T21:00:02.000Z'],
  ['{"retryDelay":"3600.5s"}', '2026-11-21T22:00:00.500Z'],
  ['  retryDelayMs: 2000,', '2026-11-21T21:00:02.000Z'],
  ['  retryDelayMs: undefined,', null],
  ['{"resets_at":1795309237,"plan_type":"plus"}', '2026-11-22T01:00:37.000Z'],
  ['{"resets_at":1795309237000}', '2026-11-22T01:00:37.000Z'],
  ['{"resets_in_seconds":11520}', '2026-11-22T00:12:00.000Z'],
  ['{"quotaResetTimeStamp":"2026-11-22T06:15:00Z"}', '2026-11-22T06:15:00.000Z'],
  ['x-ratelimit-reset-requests: 7m12s', '2026-11-21T21:07:12.000Z'],
  ['x-ratelimit-reset: 1795309237', '2026-11-22T01:00:37.000Z'],
  // Durations in words.
  ['Please try again in 1.5s.', '2026-11-21T21:00:01.500Z'],
  ['Please try again in 500ms.', '2026-11-21T21:00:00.500Z'],
  ['Try again in 3 hours 12 minutes.', '2026-11-22T00:12:00.000Z'],
  ['try again in 1 hour, 5 minutes and 10 seconds', '2026-11-21T22:05:10.000Z'],
  ['Please try again in 1h0m0s.', '2026-11-21T22:00:00.000Z'],
  ['try again in 2 days', '2026-11-23T21:00:00.000Z'],
  ['Please try your request again in about an hour.', '2026-11-21T22:00:00.000Z'],
  ['Please retry in 34.074824224s.', '2026-11-21T21:00:34.075Z'],
  ['Suggested retry after 60s.', '2026-11-21T21:01:00.000Z'],
  ['Your quota will reset after 8h44m7s.', '2026-11-22T05:44:07.000Z'],
  ['Please wait 45 seconds and try again', '2026-11-21T21:00:45.000Z'],
  // Points in time.
  ["You've hit your usage limit or try again at Nov 22nd, 2026 12:59 AM.", '2026-11-22T00:59:00.000Z'],
  ['or try again at Sep 18th, 2027 12:04 AM.', '2027-09-18T00:04:00.000Z'],
  ['limit reached, resets at 8pm (Europe/London)', '2026-11-22T20:00:00.000Z'],
  ['Limit reached · resets 11:30pm (America/New_York)', '2026-11-22T04:30:00.000Z'],
  ['Your limit resets Dec 9, 4pm (Asia/Tokyo)', '2026-12-09T07:00:00.000Z'],
  ['usage resets on 1 December 2026', '2026-12-01T00:00:00.000Z'],
  ['try again at 3:15 PM', '2026-11-22T15:15:00.000Z'],
  ['try again at 22:30', '2026-11-21T22:30:00.000Z'],
  ['Your quota resets at midnight Pacific time.', '2026-11-22T08:00:00.000Z'],
  ['please wait until 2026-11-22T00:30:00+02:00', '2026-11-21T22:30:00.000Z'],
  ['resets at 2026-11-22 06:00 UTC', '2026-11-22T06:00:00.000Z'],
  // Nothing asked, or nothing that lies ahead.
  ['Please try again later.', null],
  ['The engine is currently overloaded, please try again later', null],
  ['retried 5 times (total retry wait time: 60.84 seconds)', null],
  ['Attempt 1 failed. Retrying after 31547ms...', null],
  ['Retry-After: 0', null],
  ['{"resets_at":1600000000}', null],
  ['try again at Jan 3rd, 2020 12:00 AM', null],
  ['resets in 90000 days', null],
  ['retry 3 of 5', null],
  ['try again at 99:99', null],
];

for (const [text, iso] of ASKED) test(`${text} → ${iso}`, () => assert.is(at(text), iso));

test('a time without a zone is meant in the one that is handed in', () => {
  const text = 'try again at Nov 22nd, 2026 12:59 AM.';
  assert.is(at(text, 'America/Los_Angeles'), '2026-11-22T08:59:00.000Z');
  assert.is(at(text, 'no/such_zone'), '2026-11-22T00:59:00.000Z');
});

test('a clock that is turned back does not confuse it', () => {
  const now = new Date('2026-10-24T20:00:00.000Z');
  const text = 'resets at 8am (Europe/London)';
  assert.is(retryAt([text], { now })?.toISOString(), '2026-10-25T08:00:00.000Z');
});

test('a zone whose clock is turned back just before is read with its new time', () => {
  const now = new Date('2026-10-31T20:00:00.000Z');
  const text = 'resets at 3am (America/New_York)';
  assert.is(retryAt([text], { now })?.toISOString(), '2026-11-01T08:00:00.000Z');
});

test('the latest of what is asked for counts', () => {
  const texts = ['Please try again in 2s.', 'retry-after: 30', 'no time here'];
  assert.is(retryAt(texts, { now: NOW })?.toISOString(), '2026-11-21T21:00:30.000Z');
});

test.run();
