import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryAt } from '../../../policies/verdict/retry-at.ts';

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
  // What people and services write besides.
  ['resets at 1795309237', '2026-11-22T01:00:37.000Z'],
  ['Your limit will reset at 1795309237000', '2026-11-22T01:00:37.000Z'],
  ['resets Thu 9:00 AM', '2026-11-26T09:00:00.000Z'],
  ['resets Monday at 9am', '2026-11-23T09:00:00.000Z'],
  ['resets on Monday', '2026-11-23T00:00:00.000Z'],
  ['resets Mon, Nov 23 at 9:00 AM', '2026-11-23T09:00:00.000Z'],
  ['resets Saturday at 10pm', '2026-11-21T22:00:00.000Z'],
  ['resets Saturday at 8pm', '2026-11-28T20:00:00.000Z'],
  ['resets tomorrow at 9am', '2026-11-22T09:00:00.000Z'],
  ['try again tomorrow', '2026-11-22T00:00:00.000Z'],
  ['resets in 3d 4h', '2026-11-25T01:00:00.000Z'],
  ['try again in 2 days, 3 hours', '2026-11-24T00:00:00.000Z'],
  ['resets in 1 week', '2026-11-28T21:00:00.000Z'],
  ['try again in less than a minute', '2026-11-21T21:01:00.000Z'],
  ['try again in a minute', '2026-11-21T21:01:00.000Z'],
  ['Please try again in a few minutes', null],
  ['resets at Sun Nov 22 2026 06:00:00 GMT+0000 (Coordinated Universal Time)', '2026-11-22T06:00:00.000Z'],
  ['resets at Sun Nov 22 06:00:00 2026', '2026-11-22T06:00:00.000Z'],
  ['resets on 2026/11/22 06:00', '2026-11-22T06:00:00.000Z'],
  ['resets at 11/22/2026, 6:00:00 AM', '2026-11-22T06:00:00.000Z'],
  ['resets on 22.11.2026 06:00', '2026-11-22T06:00:00.000Z'],
  ['"retryDelay":"PT36S"', '2026-11-21T21:00:36.000Z'],
  ['"retryDelay":{"seconds":36}', '2026-11-21T21:00:36.000Z'],
  ['"retryDelay": {"seconds": "36", "nanos": 5}', '2026-11-21T21:00:36.000Z'],
  ['ratelimit-reset: 30', '2026-11-21T21:00:30.000Z'],
  ['anthropic-ratelimit-requests-reset: 2026-11-21T21:05:00Z', '2026-11-21T21:05:00.000Z'],
  ['x-ms-retry-after-ms: 500', '2026-11-21T21:00:00.500Z'],
  ['retry_after: 30', '2026-11-21T21:00:30.000Z'],
  ['"retry_after_seconds": 30', '2026-11-21T21:00:30.000Z'],
  ['retry-after-seconds=45', '2026-11-21T21:00:45.000Z'],
  ['Rate limit reset in 12m', '2026-11-21T21:12:00.000Z'],
  ['Your limit will reset in 4 hours.', '2026-11-22T01:00:00.000Z'],
  ['(reset after 23h12m10s)', '2026-11-22T20:12:10.000Z'],
  ['available again at 14:00 UTC', '2026-11-22T14:00:00.000Z'],
  ['try again in 3,600 seconds', '2026-11-21T22:00:00.000Z'],
  ['Try again in 1.5 hours', '2026-11-21T22:30:00.000Z'],
  ['Try again in ~5 minutes', '2026-11-21T21:05:00.000Z'],
  ['Please wait 30 more seconds', '2026-11-21T21:00:30.000Z'],
  ['Please try again after 3600s', '2026-11-21T22:00:00.000Z'],
  ['Retry in 00:05:30', '2026-11-21T21:05:30.000Z'],
  ['Weekly limit resets Nov 27, 5:59am (UTC)', '2026-11-27T05:59:00.000Z'],
  ['resets 5pm', '2026-11-22T17:00:00.000Z'],
  ['Retry after 30 seconds.', '2026-11-21T21:00:30.000Z'],
  ['Please retry after 7 seconds.', '2026-11-21T21:00:07.000Z'],
  ['You can retry after 2026-11-22T00:00:00Z', '2026-11-22T00:00:00.000Z'],
  ['Your plan renews on Dec 1', '2026-12-01T00:00:00.000Z'],
  ['quota will be reset on 2026-12-01', '2026-12-01T00:00:00.000Z'],
  ['Limit resets at 12:00 AM PST', '2026-11-22T08:00:00.000Z'],
  ['quota resets at midnight UTC', '2026-11-22T00:00:00.000Z'],
  ['resets_at: "2026-11-22T01:02:03.123456Z"', '2026-11-22T01:02:03.124Z'],
  ['"resetsAt":"2026-11-22T01:02:03Z"', '2026-11-22T01:02:03.000Z'],
  ['"reset_time": 1795309237', '2026-11-22T01:00:37.000Z'],
  ['"reset_after": 5', '2026-11-21T21:00:05.000Z'],
  ['reset_seconds: 90', '2026-11-21T21:01:30.000Z'],
  ['"resets_in":"4h"', '2026-11-22T01:00:00.000Z'],
  ["You've reached your 5-hour usage limit. It resets at 2:00 AM (in 5 hours)", '2026-11-22T02:00:00.000Z'],
  ['Rate limit exceeded. Try again in 59m59s', '2026-11-21T21:59:59.000Z'],
  ['Please slow down and try again in 20 sec.', '2026-11-21T21:00:20.000Z'],
  ['you will regain access on Nov 30th, 2026 at 4:00 PM', '2026-11-30T16:00:00.000Z'],
  ['Access resumes at 6:00 PM UTC', '2026-11-22T18:00:00.000Z'],
  ['Your limit resets at 3am, Europe/Berlin time', '2026-11-22T02:00:00.000Z'],
  ['limit resets at 3:30 a.m. CET', '2026-11-22T02:30:00.000Z'],
  ['next reset: 2026-11-22 00:00:00 UTC', '2026-11-22T00:00:00.000Z'],
  ['Next reset at 2026-11-22 00:00:00 +0100', '2026-11-21T23:00:00.000Z'],
  ['Retry-After: 2.5', '2026-11-21T21:00:02.500Z'],
  ['< retry-after: 17', '2026-11-21T21:00:17.000Z'],
  ['"Retry-After" => "17"', '2026-11-21T21:00:17.000Z'],
  ['Limit resets in: 1 hour 3 minutes', '2026-11-21T22:03:00.000Z'],
  ['Quota resets in 13 hrs 20 mins', '2026-11-22T10:20:00.000Z'],
  ['Your quota will be refilled in 6 hours', '2026-11-22T03:00:00.000Z'],
  ['Please come back in 2 hours', '2026-11-21T23:00:00.000Z'],
  ['wait 1 minute before retrying', '2026-11-21T21:01:00.000Z'],
  ['Cooldown: 45s remaining', '2026-11-21T21:00:45.000Z'],
  ['retry after: 45s', '2026-11-21T21:00:45.000Z'],
  ['next request allowed in 45 seconds', '2026-11-21T21:00:45.000Z'],
  ['resets the first of next month', '2026-12-01T00:00:00.000Z'],
  ['resets at the start of next month', '2026-12-01T00:00:00.000Z'],
  ['resets on the 1st of each month', '2026-12-01T00:00:00.000Z'],
  ['resets next month', '2026-12-01T00:00:00.000Z'],
  ['line 12: reset to 3 items', null],
  ['resets daily at 00:00 UTC', '2026-11-22T00:00:00.000Z'],
  ['Resets at 12am Pacific Time', '2026-11-22T08:00:00.000Z'],
  ['Try again in an hour and a half.', '2026-11-21T22:30:00.000Z'],
  ['try again in A minute', '2026-11-21T21:01:00.000Z'],
  ['Try again at 9 AM tomorrow.', '2026-11-22T09:00:00.000Z'],
  ['Try again in 2 hours. Your subscription renews on Dec 24, 2026.', '2026-11-21T23:00:00.000Z'],
  ['Retry-After: 30, x-ratelimit-reset: 1795350000', '2026-11-21T21:00:30.000Z'],
  // Nothing asked, or nothing that lies ahead.
  ['resets on Feb 30', null],
  ['try again at 25 PM', null],
  ['limit resets every 5h', null],
  ['Please try again later.', null],
  ['The engine is currently overloaded, please try again later', null],
  ['retried 5 times (total retry wait time: 60.84 seconds)', null],
  ['Attempt 1 failed. Retrying after 31547ms...', null],
  ['Retry-After: 0', null],
  ['{"resets_at":1600000000}', null],
  ['try again at Jan 3rd, 2020 12:00 AM', null],
  ['resets in 90000 days', null],
  ['retry 3 of 5', null],
  // Epochs behind a bar, zones, days behind hours, plurals in parentheses.
  ['Claude AI usage limit reached|1795309237', '2026-11-22T01:00:37.000Z'],
  ['resets 6:50am (Etc/GMT-8)', '2026-11-21T22:50:00.000Z'],
  ['resets 1pm (Etc/GMT+5)', '2026-11-22T18:00:00.000Z'],
  ['resets at 2026-11-22 09:30:00 (UTC +8)', '2026-11-22T01:30:00.000Z'],
  ['resets 16:21 on 30 Nov', '2026-11-30T16:21:00.000Z'],
  ['reset at 2:00 AM on December 1, 2026', '2026-12-01T02:00:00.000Z'],
  ['try again in 3 hour(s) 12 minute(s)', '2026-11-22T00:12:00.000Z'],
  // A time that has passed, where the text names one instant; a week ago says nothing.
  ['resets_at: 1795280400', '2026-11-21T17:00:00.000Z'],
  ['resets at 2026-11-21T20:00:00Z', '2026-11-21T20:00:00.000Z'],
  ['resets at 2026-11-21 20:00', null],
  ['resets at 2026-11-13T20:00:00Z', null],
  // Two forms of one reset: the instant is right. A wait is right beside a time without a zone.
  [
    '"quotaResetDelay":"5h59m59.9s","quotaResetTimeStamp":"2026-11-22T01:15:00Z","retryDelay":"21599.9s"',
    '2026-11-22T01:15:00.000Z',
  ],
  ['It resets at 2026-11-22T03:15:00Z. Try again in 9 hours.', '2026-11-22T03:15:00.000Z'],
  ['It resets at 8:00 AM. Try again in 2 hours.', '2026-11-21T23:00:00.000Z'],
  // Other languages, in the zone of the service.
  ['您的限额将在 2026-11-22 09:04:58 重置。', '2026-11-22T01:04:58.000Z'],
  ['将于2026年11月22日9时重置', '2026-11-22T01:00:00.000Z'],
  ['已达到 5 小时的使用上限', null],
  ['请在 2 小时 30 分钟后重试', '2026-11-21T23:30:00.000Z'],
  ['3時間後に再度お試しください', '2026-11-22T00:00:00.000Z'],
  ['2시간 후에 다시 시도해 주세요', '2026-11-21T23:00:00.000Z'],
  ['Inténtelo de nuevo en 5 minutos', '2026-11-21T21:05:00.000Z'],
  ['Versuchen Sie es in 2 Stunden erneut', '2026-11-21T23:00:00.000Z'],
  ['Повторите через 5 минут', '2026-11-21T21:05:00.000Z'],
  ['"code":"1308","message":"Your limit will reset at 2026-11-22 09:04:58"', '2026-11-22T01:04:58.000Z'],
  ['try again at 99:99', null],
  ['certificate is not valid until 1795309237 (3600 seconds in the future)', null],
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
