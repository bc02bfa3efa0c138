// The four scenes and five benefits of docs/supervise.md's document, one by one, over one course: two errors, a recovery, three errors, the saved session resumed.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { play, REASONER, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import type { Ran } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const TASK_A = 'Add authentication to login page';
const TASK_B = 'Test the login page';

interface Course {
  rig: TestRig;
  outage: Ran;
  save: SessionSave;
  resumed: { code: number | null };
  /** As each part was sent them. */
  told: { worker: string[]; reasoner: string[] };
  instructions: string[];
  /** Of the calls during the outage. */
  argv: string[][];
}

const test = suite<Course>('the document');
test.before(async (course) => {
  const rig = await TestRig.open();
  course.rig = rig;
  const next = { action: 'continue', instruction: TASK_B };
  play(rig, ['fails', 'fails', next, 'fails', 'fails', 'fails', { action: 'done', summary: 'All of it.' }]);
  const task = superviseTask(rig, { goal: TASK_A, budgets: { paid_call_budget: 50 } });
  course.outage = await task.supervise();
  course.argv = rig.calls.filter(({ report }) => report.tool === WORKER).map(({ report }) => report.argv);
  course.save = JSON.parse(readFileSync(path.join(task.folder, 'state/session_save.json'), 'utf8')) as SessionSave;
  course.resumed = await rig.run('tollgate', course.save.resume.split(' ').slice(1));
  course.told = { worker: task.prompts(WORKER), reasoner: task.prompts(REASONER) };
  course.instructions = task.instructions();
});
test.after(({ rig }) => rig.dispose());

test('scene 1, before the fix: no word of a failure, and no vague one in its place, reaches the worker', ({ told }) => {
  assert.is(told.worker.length, 6);
  for (const prompt of told.worker) {
    assert.ok([TASK_A, TASK_B].some((instruction) => prompt.endsWith(`# Current instruction\n\n${instruction}`)));
    assert.match(prompt, TASK_A);
    assert.not.match(prompt, /unavailable|unauthorized|continue working|401|error|fail/i);
  }
});

test('scene 2, errors 1 and 2: the very same prompt again, byte for byte', ({ told, outage }) => {
  const [first, second, third] = told.worker;
  // Only the first of a session says whose it is.
  assert.is(first, `[Feature: fix]\n\n${second}`);
  assert.is(third, second);
  const rows = outage.report.supervision!.iterations.slice(0, 2);
  assert.equal(
    rows.map(({ reasoner, errors, action }) => [reasoner, errors, action]),
    [
      ['Error', '1 → NO_OP', 'Preserve'],
      ['Error', '2 → NO_OP', 'Preserve'],
    ],
  );
});

test('scene 3, error 3: the session is saved with its ids, the task, the progress and the changed files, and the run ends', ({
  outage,
  save,
}) => {
  assert.is(outage.code, 1);
  assert.equal([save.how, save.task, save.instruction, save.iterations], ['saved', TASK_A, TASK_B, 6]);
  assert.ok(save.sessions.worker.session_id !== null && save.sessions.reasoner.session_id !== null);
  assert.equal(save.progress.map(({ action }) => action).slice(3), ['Preserve', 'Preserve', 'Exit']);
  assert.match(save.last_message ?? '', /^step \d+ is done/);
  assert.equal(
    save.changed_files.map((file) => [file.path, file.sha256?.length]),
    [1, 2, 3, 4, 5, 6].map((n) => [`src/step-${n}.txt`, 64]),
  );
});

test('scene 4, successful recovery: the count is reset, and a fresh instruction follows', ({
  outage,
  instructions,
}) => {
  const row = outage.report.supervision!.iterations[2]!;
  assert.equal([row.reasoner, row.errors, row.action], ['Success', '0 (reset)', 'Normal']);
  assert.is(row.instruction, `"${TASK_B}" (new)`);
  assert.is(instructions[3], TASK_B);
});

test('benefit 1, context preservation: each call has an instruction, in the one session', ({
  instructions,
  argv,
  save,
}) => {
  assert.equal(instructions, [TASK_A, TASK_A, TASK_A, TASK_B, TASK_B, TASK_B]);
  for (const words of argv.slice(1)) assert.ok(words.includes(save.sessions.worker.session_id!), words.join(' '));
});

test('benefit 2, graceful degradation: the work continues while the reasoner is down', ({ rig }) => {
  for (const n of [2, 3, 5, 6]) assert.ok(existsSync(path.join(rig.project, `src/step-${n}.txt`)));
});

test('benefit 3, automatic recovery: errors on both sides of a success are not added up', ({ outage }) => {
  assert.equal(
    outage.report.supervision!.iterations.map(({ errors }) => errors),
    ['1 → NO_OP', '2 → NO_OP', '0 (reset)', '1 → NO_OP', '2 → NO_OP', '3 → SAVE'],
  );
});

test('benefit 4, session resumability: the line that was said continues at the reasoner, and pays for no work anew', ({
  save,
  resumed,
  told,
}) => {
  assert.is(save.resume, `tollgate supervise --resume ${save.sessions.worker.session_id}`);
  assert.is(resumed.code, 0);
  assert.equal([told.worker.length, told.reasoner.length], [6, 7]);
});

test('benefit 5, clear communication: live lines, the summary and its table say what happens, and how to continue', ({
  outage,
  save,
}) => {
  assert.match(
    outage.said,
    /iteration 1: the reasoner \(\w+\) failed, 1 of 3 times in a row: .*The worker keeps the instruction "/,
  );
  assert.match(outage.said, `session saved; resume with: ${save.resume}`);
  assert.match(outage.summary, '| 6 | Error | 3 → SAVE | Exit | N/A |');
  assert.match(outage.summary, save.resume);
});

test.run();
