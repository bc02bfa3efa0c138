// The torture of supervised tasks: its plans are repeatable, its checks see what they are there for, and a round finds nothing.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asked, checkCalls, expectedCalls } from '../../bench/torture/supervise/invariants.ts';
import { supervisePlanOf } from '../../bench/torture/supervise/plan.ts';
import { playSuperviseRound } from '../../bench/torture/supervise/play.ts';

test('the same seed and number make the same round', () => {
  assert.equal(supervisePlanOf(1, 7), supervisePlanOf(1, 7));
  assert.not.equal(supervisePlanOf(1, 7), supervisePlanOf(1, 8));
});

const w = (instruction: string): Asked => ({ part: 'worker', instruction });
const r = (iteration: number): Asked => ({ part: 'reasoner', iteration });
const WHOLE = [w('A'), r(1), w('A'), r(2), w('Task of 2'), r(3)];

test('the calls of a round without a kill, by the table', () => {
  assert.equal(expectedCalls(['no_op', 'continue'], 'A'), WHOLE);
  const saved = [w('A'), r(1), w('A'), r(2), w('A'), r(3), r(4)];
  assert.equal(expectedCalls(['fails', 'garbage', 'fails'], 'A'), saved);
});

for (const [what, made, code, found] of [
  ['all of them', WHOLE, 0, []],
  ['a worker twice', [w('A'), w('A'), ...WHOLE.slice(1)], 0, ['twice']],
  ['a reasoner twice', [...WHOLE.slice(0, 2), r(1), ...WHOLE.slice(2)], 0, ['twice']],
  ['another instruction', [w('A'), r(1), w('')], 0, ['changed']],
  ['a reasoner left out', [w('A'), r(2)], 0, ['skipped']],
  ['half of them', WHOLE.slice(0, 3), 1, ['skipped', 'undone']],
] as const)
  test(`a round that made ${what}: ${found.join(', ') || 'nothing'}`, () => {
    assert.equal(
      checkCalls(made, WHOLE, code).map((one) => one.what),
      found as unknown as string[],
    );
  });

test('a round in which the dispatcher is killed ends with each call made once', async () => {
  const { violations, killed } = await playSuperviseRound(1, 1);
  assert.equal(violations, []);
  assert.ok(killed > 0);
});

test.run();
