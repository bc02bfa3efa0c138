// Which failures of many tasks are told as one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type FailedOnce, gatherFailures } from '../../../policies/signature/sign.ts';

const failed = (at: number, more: Partial<FailedOnce>): FailedOnce & { at: number } => ({
  at,
  signature: null,
  class: null,
  reason: null,
  ...more,
});

test('by signature, else by class and reason, else by message; the most frequent first', () => {
  const all = [
    failed(0, { class: 'auth', reason: 'a' }),
    failed(1, { message: 'auth a' }),
    failed(2, { class: 'auth', reason: 'a', signature: 'v1:s' }),
    failed(3, { class: 'tooling', reason: 'b', signature: 'v1:s' }),
    failed(4, { class: 'auth', reason: 'b' }),
    failed(5, { class: 'auth', reason: 'a', message: 'other words' }),
    failed(6, { class: 'quota', reason: 'c', signature: 'v1:s' }),
  ];
  assert.equal(
    gatherFailures(all).map((same) => same.map(({ at }) => at)),
    [[2, 3, 6], [0, 5], [1], [4]],
  );
});

test.run();
