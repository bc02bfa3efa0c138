// What a call cost: the CLI's own word first, then the project's prices, and never a guess.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UNKNOWN_USAGE } from '../../../policies/facts/engine-event.ts';
import { priceOf, spendingByDay } from '../../../policies/report/spending.ts';

const PRICES = { m1: { input: 2, cached: 0.5, output: 10 }, m2: { input: 2, output: 10 } };
const usage = { ...UNKNOWN_USAGE, input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 100_000 };

for (const [what, call, usd] of [
  ['input, cached and output', { model: 'm1', usage }, 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10],
  ['without a price for what is cached', { model: 'm2', usage }, 2 + 1],
  ['what the CLI says', { model: 'm1', usage: { ...usage, usd: 7 } }, 7],
  ['nothing cached is known', { model: 'm1', usage: { ...usage, cached_tokens: null } }, 2 + 1],
  ['a model without a price', { model: 'm3', usage }, null],
  ['no model', { model: null, usage }, null],
  ['a name of the language', { model: 'constructor', usage }, null],
  ['unknown output', { model: 'm1', usage: { ...usage, output_tokens: null } }, null],
] as const)
  test(what, () => {
    const price = priceOf(call, PRICES);
    assert.is(price === null ? null : Math.round(price * 1e9), usd === null ? null : Math.round(usd * 1e9));
  });

test('spending is summed by day and CLI, and what is not known is counted apart', () => {
  const call = { day: '2026-11-22', tool: 'codex', tokens: 10, usd: 0.5, durationMs: 1000 };
  const rows = spendingByDay([
    call,
    { ...call, tokens: null, usd: null, durationMs: null },
    { ...call, tool: 'claude' },
    { ...call, day: '2026-11-23' },
  ]);
  assert.equal(
    rows.map(({ day, tool, calls, tokens, calls_without_tokens, usd, calls_without_price, duration_ms }) => [
      ...[day, tool, calls, tokens, calls_without_tokens, usd, calls_without_price, duration_ms],
    ]),
    [
      ['2026-11-23', 'codex', 1, 10, 0, 0.5, 0, 1000],
      ['2026-11-22', 'claude', 1, 10, 0, 0.5, 0, 1000],
      ['2026-11-22', 'codex', 2, 10, 1, 0.5, 1, 1000],
    ],
  );
});

test.run();
