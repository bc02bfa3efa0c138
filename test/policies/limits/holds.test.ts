// What one call learnt holds back others: by tool and account, a quota by model too, and never longer than the service said.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../../../policies/facts/evidence.ts';
import { accountOf } from '../../../policies/limits/account.ts';
import { holdAfter, holdsUp, holdWords, standsAt } from '../../../policies/limits/holds.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const SOON = '2026-11-23T12:00:05.000Z';
const CALL = { tool: 'codex', account: 'signed in', model: 'small' };
const verdict = (errorClass: Verdict['class'], reason: string, retry_at: string | null = SOON): Verdict => ({
  class: errorClass,
  reason,
  evidence: null,
  retry_at,
});

test('a limit of the service is held; what is our own, or no time mends, is not', () => {
  const rows: [Verdict, boolean][] = [
    [verdict('transient', 'rate_limit'), true],
    [verdict('transient', 'rate_limit', null), false],
    [verdict('transient', 'overloaded'), false],
    [verdict('quota', 'plan'), true],
    [verdict('quota', 'plan', null), true],
    [verdict('quota', 'plan', '2026-11-23T11:59:59Z'), false],
    [verdict('quota', 'billing', null), false],
    [verdict('quota', 'budget', null), false],
    [verdict('quota', 'own_limit'), false],
    [verdict('quota', 'held'), false],
    [verdict(null, ''), false],
  ];
  for (const [row, isHeld] of rows) assert.is(holdAfter(CALL, row, NOW) !== null, isHeld, `${row.class} ${row.reason}`);
});

test('too many requests hold the account up, a quota that model alone', () => {
  const rate = holdAfter(CALL, verdict('transient', 'rate_limit'), NOW)!;
  const quota = holdAfter(CALL, verdict('quota', 'plan'), NOW)!;
  const held = (other: object) => [rate, quota].map((hold) => holdsUp(hold, { ...CALL, ...other }));
  assert.equal(held({}), [true, true]);
  assert.equal(held({ model: null }), [true, false]);
  assert.equal(held({ account: 'other' }), [false, false]);
  assert.equal(held({ tool: 'claude' }), [false, false]);
  assert.is(
    holdWords(quota),
    'codex with small (signed in) is held since 2026-11-23T12:00:00.000Z (plan), until 2026-11-23T12:00:05.000Z',
  );
});

test('it stands until its time, and a clock that is set back far does not lengthen it', () => {
  const hold = holdAfter(CALL, verdict('transient', 'rate_limit'), NOW)!;
  const at = (sec: number) => standsAt(hold, NOW.getTime() + sec * 1000);
  assert.equal([at(0), at(4.9), at(5), at(-4), at(-6)], [true, true, false, true, false]);
  const untold = { ...hold, until: null };
  const within = [-3601, -3599, 3599, 3600].map((sec) => standsAt(untold, NOW.getTime() + sec * 1000));
  assert.equal(within, [false, true, true, false]);
});

test('a time beyond any plan is none, from the service or from a file', () => {
  const years = '2036-01-01T00:00:00Z';
  assert.is(holdAfter(CALL, verdict('transient', 'rate_limit', years), NOW), null);
  assert.is(holdAfter(CALL, verdict('quota', 'plan', years), NOW)!.until, null);
  const month = holdAfter(CALL, verdict('quota', 'plan', '2026-12-24T12:00:00Z'), NOW)!;
  assert.ok(standsAt(month, NOW.getTime()));
  assert.not.ok(standsAt({ ...month, until: Date.parse(years) }, NOW.getTime()));
});

test('an account is told by its key, which is not given away', () => {
  const [one, two, none] = [{ CODEX_API_KEY: 'a' }, { CODEX_API_KEY: 'b' }, {}].map((keys) => accountOf('codex', keys));
  assert.match(one!, /^CODEX_API_KEY [0-9a-f]{6}$/);
  assert.is.not(one, two);
  assert.is(none, 'signed in');
  const [here, there] = ['/a', '/b'].map((CODEX_HOME) => accountOf('codex', { CODEX_HOME }));
  assert.match(here!, /^signed in, CODEX_HOME [0-9a-f]{6}$/);
  assert.is.not(here, there);
  assert.match(
    accountOf('claude', { ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://x' }),
    /^ANTHROPIC_API_KEY \w{6}, ANTHROPIC_BASE_URL \w{6}$/,
  );
});

test.run();
