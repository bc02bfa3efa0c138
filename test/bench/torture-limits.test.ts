// The torture of limits over all tasks: its plans are repeatable, its checks see what they are there for, and small rounds find nothing.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAtOnce, checkBudget, checkLoosened, type Seen } from '../../bench/torture/limits/invariants.ts';
import { limitsPlanOf, waveOf } from '../../bench/torture/limits/plan.ts';
import { playLimitsRound } from '../../bench/torture/limits/play.ts';

test('the same seed and number make the same round', () => {
  const plan = limitsPlanOf(1, 7);
  assert.equal(plan, limitsPlanOf(1, 7));
  assert.equal(waveOf(1, plan, 2), waveOf(1, plan, 2));
  assert.not.equal(waveOf(1, plan, 2), waveOf(1, plan, 3));
});

const begun = (count: number): Seen[] => Array.from({ length: count }, (_, i) => ({ what: 'begun', id: `c${i}` }));

for (const [what, left, found] of [
  ['exactly as many as the limit has', { seen: begun(10), booked: 100 }, []],
  ['one too many', { seen: begun(11), booked: 101 }, ['over', 'books']],
  ['one that the books do not know', { seen: begun(10), booked: 99 }, ['books', 'books']],
  ['one that was killed before its agent began', { seen: begun(9), booked: 100, killed: 1 }, []],
  ['one that was booked for nobody', { seen: begun(9), booked: 100 }, ['unspent']],
  ['one twice', { seen: [...begun(9), ...begun(1)], booked: 100 }, ['twice']],
] as [string, Partial<Parameters<typeof checkBudget>[0]>, string[]][])
  test(`a round that paid ${what}: ${found.join(', ') || 'nothing'}`, () => {
    const whole = { seen: [], booked: 0, most: 100, before: 90, killed: 0, ...left };
    assert.equal(
      checkBudget(whole).map((one) => one.what),
      found,
    );
  });

test('four at work at once are seen, and a call that was not made', () => {
  const three: Seen[] = [...begun(3), { what: 'ended', id: 'c0' }, { what: 'begun', id: 'c3' }];
  assert.equal(checkAtOnce(three, 3, 4), []);
  assert.equal(
    checkAtOnce(begun(4), 3, 5).map((one) => one.what),
    ['crowded', 'unspent'],
  );
});

test('limits that an agent loosened are seen by what it says and by their file; a refusal is none', () => {
  const refused: Seen[] = [...begun(1), { what: 'refused', id: 'c0' }];
  assert.equal(checkLoosened(refused, '{}', '{}'), []);
  assert.is(checkLoosened(refused, '{}', '{"v":1}').length, 1);
  assert.is(checkLoosened([{ what: 'loosened', id: 'c0' }], '{}', '{}').length, 1);
  assert.is(checkAtOnce([...refused, ...begun(1)], 3, 2).filter(({ what }) => what === 'crowded').length, 0);
});

test('whole wrappers and runs, some of them killed, use a budget up exactly', async () => {
  const plan = { n: 3, workMs: 0, askers: 8, kind: 'budget', most: 100, before: 96 } as const;
  const { violations, paid, lost } = await playLimitsRound(1, 3, plan);
  assert.equal(violations, []);
  assert.is(paid + lost, 4);
});

test('whole wrappers, at most three at once', async () => {
  const plan = { n: 1, workMs: 20, askers: 9, kind: 'at_once', most: 3 } as const;
  const { violations, atOnce } = await playLimitsRound(1, 1, plan);
  assert.equal(violations, []);
  assert.ok(atOnce <= 3, `${atOnce} at once`);
});

test.run();
