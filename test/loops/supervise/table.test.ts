// The document's table of seven iterations, row by row, with fakes: what the worker is told, what is counted, and how it ends.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('supervise table');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const BUDGET = { budgets: { paid_call_budget: 50 } };

test('seven iterations: errors keep the instruction, a success resets the count, the third in a row saves the session', async ({
  rig,
}) => {
  play(rig, [
    { action: 'no_op' },
    'fails',
    'fails',
    { action: 'continue', instruction: 'Task B' },
    'fails',
    'fails',
    'fails',
  ]);
  const task = superviseTask(rig, BUDGET);
  const ran = await task.supervise();
  assert.is(ran.code, 1, ran.said);
  assert.equal(
    ran.report.supervision!.iterations.map(({ iteration, reasoner, errors, action, instruction }) => [
      iteration,
      reasoner,
      errors,
      action,
      instruction,
    ]),
    [
      [1, 'Success', '0', 'Normal', '"Task A"'],
      [2, 'Error', '1 → NO_OP', 'Preserve', '"Task A" (same)'],
      [3, 'Error', '2 → NO_OP', 'Preserve', '"Task A" (same)'],
      [4, 'Success', '0 (reset)', 'Normal', '"Task B" (new)'],
      [5, 'Error', '1 → NO_OP', 'Preserve', '"Task B" (same)'],
      [6, 'Error', '2 → NO_OP', 'Preserve', '"Task B" (same)'],
      [7, 'Error', '3 → SAVE', 'Exit', 'N/A'],
    ],
  );
  assert.equal(task.instructions(), ['Task A', 'Task A', 'Task A', 'Task A', 'Task B', 'Task B', 'Task B']);
  // Byte for byte, with its context: only the first of a session has the line of its tag.
  const sent = task.prompts(WORKER);
  assert.equal(new Set(sent.slice(1, 4)).size, 1);
  assert.is(sent[0], `[Feature: fix]\n\n${sent[1]}`);
  assert.equal(new Set(sent.slice(4)).size, 1);
  assert.is(sent[4], sent[1]!.replace(/Task A$/, 'Task B'));
  assert.match(ran.summary, '| 6 | Error | 2 → NO_OP | Preserve | "Task B" (same) |');
  const failed = 'The service rejected the credentials of gemini (unexpected status 401 Unauthorized: no).';
  for (const line of [
    'iteration 1: the reasoner kept the instruction "Task A"',
    `iteration 2: the reasoner (gemini) failed, 1 of 3 times in a row: ${failed} The worker keeps the instruction "Task A"`,
    'iteration 4: the reasoner gave a new instruction "Task B"',
    `iteration 7: the reasoner (gemini) failed, 3 of 3 times in a row: ${failed} The session is saved`,
  ])
    assert.ok(ran.said.includes(`tollgate: ${line}\n`), `${line}\n${ran.said}`);
});

test.run();
