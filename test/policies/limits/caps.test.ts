// A cap is reached by what the requests of a call used, in tokens or in dollars, and the sentence says how that is known.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UNKNOWN_USAGE } from '../../../policies/facts/engine-event.ts';
import { type Caps, capReached, capUse, capWords, estimatedTokens, lowerCap } from '../../../policies/limits/caps.ts';

const request = (input_tokens: number, output_tokens: number, model: string | null = null, cached_tokens = 0) => ({
  ...{ model, input_tokens, cached_tokens, output_tokens },
});
const NO_CAPS: Caps = { tokens: null, usd: null, prices: {}, model: null };
const tokens = (max: number): Caps => ({ ...NO_CAPS, tokens: { max, of: 'call' } });
const PRICES = { cheap: { input: 1, output: 2 }, dear: { input: 10, cached: 1, output: 20 } };
const usd = (max: number): Caps => ({ tokens: null, usd: { max, of: 'call' }, prices: PRICES, model: null });
const use = (...requests: ReturnType<typeof request>[]) => ({ requests, model: null, usd: null, estimate: 0 });

test('tokens in and out of all requests count', () => {
  assert.is(capReached(tokens(100), use(request(50, 10), request(30, 9))), null);
  const reached = capReached(tokens(100), use(request(50, 10), request(30, 10)))!;
  assert.is(capWords(reached), 'the call used 100 tokens; it may use 100 tokens (--max-tokens)');
});

test('an estimate counts only if no request was counted', () => {
  assert.is(capReached(tokens(100), { ...use(request(1, 1)), estimate: 1000 }), null);
  assert.match(
    capWords(capReached(tokens(100), { ...use(), estimate: 1000 })!),
    /^the call used 1000 tokens \(estimated/,
  );
});

test('dollars count by the price of the model, and tokens from the cache by theirs', () => {
  const million = request(1_000_000, 1_000_000, 'dear', 500_000);
  // 5 for the fresh half of the input, 0.5 for the cached half, 20 for the output.
  assert.is(capReached(usd(25.51), use(million)), null);
  assert.is(capReached(usd(25.5), use(million))?.used, 25.5);
  // A CLI counts no more of the input from the cache than there was.
  assert.is(capReached(usd(1), use(request(1_000_000, 0, 'dear', 9_000_000)))?.used, 1);
});

test('a request without a model has that of the call; an unknown one is priced like the dearest', () => {
  const million = request(1_000_000, 0);
  assert.is(capReached(usd(2), { ...use(million), model: 'cheap' }), null);
  assert.equal(capReached(usd(1), { ...use(million), model: 'cheap' })?.by, 'count');
  assert.is(capReached(usd(10), { ...use(million), model: 'other' })?.by, 'dearest');
  assert.is(capReached({ ...usd(2), model: 'cheap' }, use(million)), null);
  assert.is(capReached({ ...usd(0.1), prices: {} }, use(million)), null);
});

test('a sum that the CLI counts, and its own dollars, count like requests', () => {
  const usage = { ...UNKNOWN_USAGE, input_tokens: 90, output_tokens: 20 };
  const counted = { requests: [], usage, model: null };
  assert.is(capReached(tokens(100), capUse(counted, 5000))?.used, 110);
  assert.is(capReached(usd(1), capUse({ ...counted, usage: { ...usage, usd: 1 } }, 0))?.used, 1);
  assert.is(capReached({ ...usd(2), prices: {} }, capUse({ ...counted, usage: { ...usage, usd: 1.5 } }, 0)), null);
});

test('an estimate grows with each request, which sends the prompt again', () => {
  assert.equal([estimatedTokens(400, 0, 0), estimatedTokens(400, 0, 1)], [100, 100]);
  assert.is(estimatedTokens(400, 400, 1), 200);
  assert.ok(estimatedTokens(400, 400, 3) > estimatedTokens(400, 400, 2));
});

test('the lower of two caps holds', () => {
  const [one, other] = [
    { max: 5, of: 'call' },
    { max: 4, of: 'limit' },
  ] as const;
  assert.equal(
    [lowerCap(one, other), lowerCap(one, null), lowerCap(null, other), lowerCap(null, null)],
    [other, one, other, null],
  );
});

test.run();
