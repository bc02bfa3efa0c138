// What is told of which end, in which words, to whom, and what follows from an answer.

import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type NextAction, toDo, toType } from '../../../policies/facts/next-action.ts';
import {
  afterTry,
  BODIES,
  eventsOf,
  headersOf,
  type Notification,
  type NotificationFacts,
  type Try,
  wordsOf,
} from '../../../policies/manifest/notification.ts';
import { type NotifierRow, notifierName, reachOf } from '../../../policies/manifest/notifier.ts';

const END: Parameters<typeof eventsOf>[0] = { state: 'done', budget: { used: 4, total: 10 }, calls: 4, nearLimits: [] };

for (const [what, end, events] of [
  ['done', {}, ['done']],
  ['failed', { state: 'failed' }, ['failed']],
  ['refused', { state: 'refused' }, ['failed']],
  ['a supervised task that asks', { state: 'parked' }, ['parked']],
  ['stopped by a person', { state: 'interrupted', budget: { used: 9, total: 10 } }, []],
  ['it reached four fifths', { budget: { used: 8, total: 10 } }, ['done', 'budget']],
  ['it went from less to all', { state: 'failed', budget: { used: 3, total: 3 }, calls: 1 }, ['failed', 'budget']],
  ['just below', { budget: { used: 7, total: 9 } }, ['done']],
  ['an earlier run had reached it', { budget: { used: 9, total: 10 }, calls: 1 }, ['done']],
  ['a limit over all tasks is near', { nearLimits: ['it is'] }, ['done', 'budget']],
  ['nothing was paid', { budget: { used: 0, total: 0 }, calls: 0 }, ['done']],
] as const)
  test(`events: ${what}`, () => assert.equal(eventsOf({ ...END, ...end }), events));

const TOLD: NotificationFacts = {
  task_id: 'fix-login',
  batch_id: null,
  goal: 'Mend the login.',
  exit_code: 1,
  stage: 'implement',
  class: 'auth',
  reason: 'expired',
  signature: null,
  retry_at: null,
  question: 'Keep the\nold flag?\u001b[2J',
  budget: { used: 2, total: 4 },
  tasks: null,
  near_budget: [],
  near_limits: [],
  next_actions: [toDo('sign in again'), toType('continue', 'tollgate run fix-login', 'pays')],
  summary: '/p/_summary.md',
};
const BATCH: NotificationFacts = {
  ...TOLD,
  task_id: null,
  batch_id: 'b1',
  budget: null,
  near_budget: ['a', 'b'],
  near_limits: [],
  tasks: { tasks: 5, done: 3, failed: 2 },
};

for (const [event, told, words] of [
  ['done', TOLD, 'tollgate: task fix-login is done, 2 of 4 paid calls used'],
  [
    'failed',
    TOLD,
    'tollgate: task fix-login failed at implement: auth (expired), 2 of 4 paid calls used; next: sign in again',
  ],
  [
    'failed',
    { ...TOLD, stage: null, class: null, next_actions: [] as NextAction[] },
    'tollgate: task fix-login failed, 2 of 4 paid calls used',
  ],
  ['parked', TOLD, 'tollgate: task fix-login waits for an answer: Keep the old flag? [2J; next: sign in again'],
  ['budget', TOLD, 'tollgate: task fix-login has used 2 of 4 paid calls; next: sign in again'],
  [
    'budget',
    { ...TOLD, near_limits: ['four fifths of it', 'and of another'] as string[] },
    'tollgate: task fix-login has used 2 of 4 paid calls; four fifths of it; and of another; next: sign in again',
  ],
  [
    'budget',
    { ...BATCH, near_budget: [] as string[], near_limits: ['four fifths of a limit are used'] as string[] },
    'tollgate: batch b1 has ended; four fifths of a limit are used; next: sign in again',
  ],
  ['done', BATCH, 'tollgate: batch b1 is done, all 5 tasks'],
  ['budget', BATCH, 'tollgate: batch b1 has used 80 % of the paid calls of a, b; next: sign in again'],
  ['failed', BATCH, 'tollgate: batch b1 is not done, 3 of 5 tasks are; next: sign in again'],
] as const)
  test(`words: ${words}`, () => assert.is(wordsOf(event, told), words));

test('a long text is cut', () =>
  assert.is(wordsOf('parked', { ...TOLD, question: 'x'.repeat(5000) }).length < 400, true));

const WORD = { schema: 1, id: 'i', event: 'done', at: 'now', text: 'a <!channel> & <b>', ...TOLD } as Notification;

test("Slack's form is the text alone, and nothing of it is an order", () =>
  assert.equal(JSON.parse(BODIES.slack(WORD)), { text: 'a &lt;!channel&gt; &amp; &lt;b&gt;' }));

test('the JSON form is all of it', () => assert.equal(JSON.parse(BODIES.json(WORD)), WORD));

test('time and body are signed', () => {
  const told = { 'content-type': 'application/json', 'user-agent': 'tollgate', 'tollgate-event': 'done' };
  const delivery = { 'tollgate-delivery': 'i', 'tollgate-timestamp': '1700000000' };
  const mac = createHmac('sha256', 's3cret').update('1700000000.{"a":1}').digest('hex');
  assert.equal(headersOf(WORD, '{"a":1}', 's3cret', 1_700_000_000), {
    ...told,
    ...delivery,
    'tollgate-signature': `v1=${mac}`,
  });
  assert.equal(headersOf(WORD, '{"a":1}', null, 1_700_000_000), { ...told, ...delivery });
});

const ROW: NotifierRow = { on: ['done'], format: 'json', timeout_ms: 10_000 };
const ENV = { HOOK: 'https://hooks.example.com/T0/secret', KEY: 'k', BAD: 'ftp://x', WHO: 'https://a:b@c.example' };

for (const [what, row, reach] of [
  [
    'an address',
    { webhook: 'https://a.example/x' },
    { how: 'ready', url: 'https://a.example/x', secret: null, warning: null },
  ],
  [
    'one of the environment, signed',
    { webhook_env: 'HOOK', secret_env: 'KEY' },
    { how: 'ready', url: ENV.HOOK, secret: 'k', warning: null },
  ],
  [
    'in clear',
    { webhook: 'http://a.example' },
    {
      how: 'ready',
      url: 'http://a.example',
      secret: null,
      warning: 'it goes over the network in clear; say https',
    },
  ],
  [
    'in clear on this machine',
    { webhook: 'http://127.0.0.1:9' },
    { how: 'ready', url: 'http://127.0.0.1:9', secret: null, warning: null },
  ],
  ['no address', { webhook_env: 'NONE' }, { how: 'impossible', why: '$NONE is not set', fix: 'export NONE=…' }],
  [
    'no secret',
    { webhook: 'https://a.example', secret_env: 'NONE' },
    { how: 'impossible', why: '$NONE is not set', fix: 'export NONE=…' },
  ],
  [
    'another protocol',
    { webhook_env: 'BAD' },
    { how: 'impossible', why: 'the address in $BAD is not an http or https address', fix: 'export BAD=…' },
  ],
  [
    'a password in it',
    { webhook_env: 'WHO' },
    {
      how: 'impossible',
      why: 'the address in $WHO holds a user or a password; sign with secret_env instead',
      fix: 'export WHO=…',
    },
  ],
] as const)
  test(`reach: ${what}`, () => assert.equal(reachOf({ ...ROW, ...row }, ENV), reach));

test('a name tells no more of an address than its host', () => {
  assert.is(
    notifierName({ ...ROW, webhook: 'https://hooks.example.com/T0/secret?k=v' }),
    'webhook to hooks.example.com',
  );
  assert.is(notifierName({ ...ROW, webhook_env: 'HOOK' }), 'webhook of $HOOK');
  assert.is(notifierName({ ...ROW, command: ['./tell.sh', 'x'] }), 'command ./tell.sh');
});

const answered = (status: number, retryAfterMs: number | null = null): Try => ({
  how: 'answered',
  status,
  retryAfterMs,
});
const CUT: Try = { how: 'unanswered', why: 'ECONNRESET' };

for (const [what, tried, tries, leftMs, after] of [
  ['taken', answered(204), 1, 9000, { next: 'taken', why: 'answered 204' }],
  [
    'a redirect',
    answered(302),
    1,
    9000,
    { next: 'given_up', why: 'answered 302, which leads elsewhere and is not followed' },
  ],
  ['refused', answered(401), 1, 9000, { next: 'given_up', why: 'answered 401' }],
  ['broken', answered(500), 1, 9000, { next: 'again', afterMs: 250, why: 'answered 500' }],
  ['broken again', answered(503), 2, 9000, { next: 'again', afterMs: 1000, why: 'answered 503' }],
  ['too many', answered(429, 2000), 1, 9000, { next: 'again', afterMs: 2000, why: 'answered 429' }],
  ['too many, for longer than there is', answered(429, 9000), 1, 9000, { next: 'given_up', why: 'answered 429' }],
  ['cut', CUT, 3, 9000, { next: 'again', afterMs: 3000, why: 'ECONNRESET' }],
  ['the time is over', CUT, 3, 3000, { next: 'given_up', why: 'ECONNRESET, after 3 tries' }],
  ['the last try', CUT, 4, 9000, { next: 'given_up', why: 'ECONNRESET, after 4 tries' }],
] as const)
  test(`after a try: ${what}`, () => assert.equal(afterTry(tried, tries, leftMs), after));

test.run();
