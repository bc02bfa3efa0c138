// The torture with sessions: its plans are repeatable, its checks see what they are there for, and a round finds nothing.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type SessionTask, sessionPlanOf } from '../../bench/torture/sessions/plan.ts';
import { checkTraces, playSessionRound } from '../../bench/torture/sessions/play.ts';

test('the same seed and number make the same round', () => {
  assert.equal(sessionPlanOf(1, 7), sessionPlanOf(1, 7));
  assert.not.equal(sessionPlanOf(1, 7), sessionPlanOf(1, 8));
});

const TASK: SessionTask = { id: 'ta', cwd: 'inner', killedAfterMs: null };

const ROWS: [what: string, here: string[], inner: string[], isDone: boolean, found: string[]][] = [
  ['once, where it belongs', [], ['TOKEN-ta'], true, []],
  ['not at all, and not done', [], [], false, []],
  ['twice', [], ['TOKEN-ta', 'TOKEN-ta'], true, ['twice']],
  ['in another tree', ['TOKEN-ta'], [], true, ['elsewhere']],
  ['in both trees', ['TOKEN-ta'], ['TOKEN-ta'], false, ['twice', 'elsewhere']],
  ['not at all, and done', [], [], true, ['undone']],
];
for (const [what, here, inner, isDone, found] of ROWS)
  test(`a tool that ran ${what}: ${found.join(', ') || 'nothing'}`, () => {
    const violations = checkTraces([TASK], { '.': here, inner }, new Set(isDone ? ['ta'] : []));
    assert.equal(
      violations.map((one) => one.what),
      found,
    );
  });

test('a round in which a history is refused ends with each tool run once', async () => {
  const refused = Array.from({ length: 50 }, (_, i) => i + 1).find((n) => {
    const { tasks, behaviours } = sessionPlanOf(1, n);
    return behaviours[0] === 'refused' && tasks.every(({ killedAfterMs }) => killedAfterMs === null);
  })!;
  const { violations, calls, done } = await playSessionRound(1, refused, 'fake');
  assert.equal(violations, []);
  assert.ok(calls > 1 && done > 0, `${calls} calls, ${done} done`);
});

test('nor when the dispatcher is killed before it decides about the refusal', async () => {
  const { tasks, behaviours } = sessionPlanOf(1, 5);
  assert.equal([behaviours[0], tasks[0]!.killedAfterMs], ['refused', 13]);
  assert.equal((await playSessionRound(1, 5, 'fake')).violations, []);
});

test.run();
