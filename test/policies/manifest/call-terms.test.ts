// The task's own limits: each alone, the first that is used up, and what is unknown.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { usedUp } from '../../../policies/manifest/call-terms.ts';

const NOTHING = { tokens: 0, usd: 0, calls_without_tokens: 0, calls_without_price: 0, wallLeftMs: null };

test('without limits nothing is ever used up', () => {
  assert.is(usedUp({}, { ...NOTHING, tokens: 1e9, usd: 1e6 }), null);
});

for (const [limits, soFar, expected] of [
  [{ max_tokens: 100 }, { tokens: 99 }, null],
  [
    { max_tokens: 100 },
    { tokens: 100 },
    {
      field: 'max_tokens',
      why: '100 of 100 tokens are used up',
      limit: { name: 'task_budget', value: 100, unit: 'tokens' },
    },
  ],
  [{ max_usd: 0.5 }, { usd: 0.49 }, null],
  [
    { max_usd: 0.5 },
    { usd: 0.51 },
    {
      field: 'max_usd',
      why: '$0.5100 of $0.5 are used up',
      limit: { name: 'task_budget', value: 0.5, unit: 'usd' },
    },
  ],
  [{ max_wallclock_sec: 9 }, { wallLeftMs: 1 }, null],
  [
    { max_wallclock_sec: 9 },
    { wallLeftMs: 0 },
    {
      field: 'max_wallclock_sec',
      why: "the task's wall clock of 9 s is used up",
      limit: { name: 'task_time', value: 9000, unit: 'ms' },
    },
  ],
  [{ max_tokens: 1 }, { calls_without_tokens: 5 }, null],
] as const)
  test(`${JSON.stringify(limits)} after ${JSON.stringify(soFar)}`, () => {
    assert.equal(usedUp(limits, { ...NOTHING, ...soFar }), expected);
  });

test.run();
