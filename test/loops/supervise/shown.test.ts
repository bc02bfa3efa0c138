// What is shown of a supervised task to who has nothing else: in its summary, in the report and in the status.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TasksReport } from '../../../loops/report/collect.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { play, superviseTask } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('shown');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ASKS = [
  { action: 'continue', instruction: 'Task B' },
  'fails',
  { action: 'ask', question: 'Which\u001b[31m flag?' },
];

test('a question is no failure: each view says that the task is parked, what is asked, and what to type', async ({
  rig,
}) => {
  play(rig, ASKS as never);
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.equal([ran.code, ran.report.state, ran.report.failure, ran.report.exit_code], [1, 'parked', null, 1]);
  assert.equal(ran.report.next_actions, [
    toDo('ask the user, and give the answer in place of the dots: tollgate answer fix "…"'),
  ]);
  assert.is(task.failure(), null);
  const page = ran.summary.split('\n');
  assert.is(page[0], '# Task fix: waits for an answer');
  assert.equal(page.slice(9, 19), [
    '| iteration | reasoner | error count | action | instruction |',
    '|---|---|---|---|---|',
    '| 1 | Success | 0 | Normal | "Task B" (new) |',
    '| 2 | Error | 1 → NO_OP | Preserve | "Task B" (same) |',
    '| 3 | Success | 0 (reset) | Ask | "Task B" (same) |',
    '',
    'Question: Which [31m flag?',
    'Current instruction: Task B',
    'Changed since it began: src/step-1.txt (added), src/step-2.txt (added), src/step-3.txt (added)',
    '',
  ]);
  assert.not.match(ran.summary, /Failed|unknown \(/);

  const text = (await rig.run('tollgate', ['report'])).stdout;
  assert.match(
    text,
    /^fix +parked +- +- +- +\S+ +6\/10 +ask the user, and give the answer in place of the dots: tollgate answer fix "…"$/m,
  );
  assert.match(
    text,
    /\nSupervised:\nTASK +ITERATION +REASONER +ERROR COUNT +ACTION +INSTRUCTION\nfix +1 +Success +0 +Normal +"Task B" \(new\)\nfix +2 +Error +1 → NO_OP +Preserve +"Task B" \(same\)\nfix +3 .*\nfix asks: Which \[31m flag\?\n/,
  );
  assert.match(text, /1 task in .*: 1 parked/);
  const markdown = (await rig.run('tollgate', ['report', '--format', 'md'])).stdout;
  assert.match(markdown, '| fix | 2 | Error | 1 → NO_OP | Preserve | "Task B" (same) |');
  assert.match(markdown, '- fix asks: Which [31m flag?');
  const status = (await rig.run('tollgate', ['status'])).stdout;
  assert.match(status, /\nfix +parked /);
  assert.match(status, 'fix asks: Which [31m flag?');
  const { tasks, totals } = JSON.parse((await rig.run('tollgate', ['report', '--json'])).stdout) as TasksReport;
  const { state, class: errorClass, supervision } = tasks[0]!;
  assert.equal([state, errorClass, totals.parked, totals.failed], ['parked', null, 1, 0]);
  assert.equal([supervision!.how, supervision!.iterations.length], ['parked', 3]);

  superviseTask(rig, {}, 'other');
  play(rig, [{ action: 'save_session', why: 'The key is missing.' }]);
  const other = await rig.run('tollgate', ['supervise', 'other']);
  assert.match(
    other.stdout,
    '# Task other: session saved in iteration 1: the reasoner requested that the session is saved\n',
  );
  assert.match(other.stdout, 'The key is missing.');
  assert.not.match(other.stdout, 'nothing was started');
  const both = (await rig.run('tollgate', ['report'])).stdout;
  assert.match(both, /Supervised:\n.*\nother +1 +Success +0 +Exit +N\/A\nfix +3 /);
});

test.run();
