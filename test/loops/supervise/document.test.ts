// The table, scenes and benefits of docs/supervise.md, over one course: two errors, a recovery, three errors, the saved session.

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
  const done = { action: 'done', summary: 'All of it.' };
  play(rig, [{ action: 'no_op' }, 'fails', 'fails', next, 'fails', 'fails', 'fails', done]);
  const task = superviseTask(rig, { goal: TASK_A, budgets: { paid_call_budget: 50 } });
  course.outage = await task.supervise();
  course.argv = rig.calls.filter(({ report }) => report.tool === WORKER).map(({ report }) => report.argv);
  course.save = JSON.parse(readFileSync(path.join(task.folder, 'state/session_save.json'), 'utf8')) as SessionSave;
  course.resumed = await rig.run('tollgate', course.save.resume.split(' ').slice(1));
  course.told = { worker: task.prompts(WORKER), reasoner: task.prompts(REASONER) };
  course.instructions = task.instructions();
});
test.after(({ rig }) => rig.dispose());

test('the table: errors keep the instruction, a success resets the count, the third in a row saves the session', ({
  told: { worker },
  outage: { code, said, summary, report },
  instructions,
}) => {
  assert.is(code, 1, said);
  const [A, B] = [`"${TASK_A}"`, `"${TASK_B}"`];
  assert.equal(
    report.supervision!.iterations.map(({ iteration, reasoner, errors, action, instruction }) => [
      iteration,
      reasoner,
      errors,
      action,
      instruction,
    ]),
    [
      [1, 'Success', '0', 'Normal', A],
      [2, 'Error', '1 → NO_OP', 'Preserve', `${A} (same)`],
      [3, 'Error', '2 → NO_OP', 'Preserve', `${A} (same)`],
      [4, 'Success', '0 (reset)', 'Normal', `${B} (new)`],
      [5, 'Error', '1 → NO_OP', 'Preserve', `${B} (same)`],
      [6, 'Error', '2 → NO_OP', 'Preserve', `${B} (same)`],
      [7, 'Error', '3 → SAVE', 'Exit', 'N/A'],
    ],
  );
  assert.equal(instructions, [TASK_A, TASK_A, TASK_A, TASK_A, TASK_B, TASK_B, TASK_B]);
  assert.equal(new Set(worker.slice(4)).size, 1);
  assert.is(worker[4], worker[1]!.replace(new RegExp(`${TASK_A}$`), TASK_B));
  assert.match(summary, `| 6 | Error | 2 → NO_OP | Preserve | ${B} (same) |`);
  const failed = 'The service rejected the credentials of gemini (unexpected status 401 Unauthorized: no).';
  for (const line of [
    `iteration 1: the reasoner kept the instruction ${A}`,
    `iteration 2: the reasoner (gemini) failed, 1 of 3 times in a row: ${failed} The worker keeps the instruction ${A}`,
    `iteration 4: the reasoner gave a new instruction ${B}`,
    `iteration 7: the reasoner (gemini) failed, 3 of 3 times in a row: ${failed} The session is saved`,
  ])
    assert.ok(said.includes(`tollgate: ${line}\n`), `${line}\n${said}`);
});

test('scene 1, before the fix: no word of a failure, and no vague one in its place, reaches the worker', ({ told }) => {
  assert.is(told.worker.length, 7);
  for (const prompt of told.worker) {
    assert.ok([TASK_A, TASK_B].some((instruction) => prompt.endsWith(`# Current instruction\n\n${instruction}`)));
    assert.match(prompt, TASK_A);
    assert.not.match(prompt, /unavailable|unauthorized|continue working|401|error|fail/i);
  }
});

test('scene 2, errors 1 and 2: the very same prompt again, byte for byte', ({ told: { worker } }) => {
  const [first, second, third, fourth] = worker;
  // Only the first of a session says whose it is.
  assert.is(first, `[Feature: fix]\n\n${second}`);
  assert.equal([third, fourth], [second, second]);
});

test('scene 3, error 3: the session is saved with its ids, the task, the progress and the changed files, and the run ends', ({
  outage,
  save,
}) => {
  assert.is(outage.code, 1);
  assert.equal([save.how, save.task, save.instruction, save.iterations], ['saved', TASK_A, TASK_B, 7]);
  assert.ok(save.sessions.worker.session_id !== null && save.sessions.reasoner.session_id !== null);
  assert.equal(save.progress.map(({ action }) => action).slice(4), ['Preserve', 'Preserve', 'Exit']);
  assert.match(save.last_message ?? '', /^step \d+ is done/);
  assert.equal(
    save.changed_files.map((file) => [file.path, file.sha256?.length]),
    [1, 2, 3, 4, 5, 6, 7].map((n) => [`src/step-${n}.txt`, 64]),
  );
});

test('benefit 1, context preservation: each call is in the one session', ({ argv, save }) => {
  for (const words of argv.slice(1)) assert.ok(words.includes(save.sessions.worker.session_id!), words.join(' '));
});

test('benefit 2, graceful degradation: the work continues while the reasoner is down', ({ rig }) => {
  for (const n of [3, 4, 6, 7]) assert.ok(existsSync(path.join(rig.project, `src/step-${n}.txt`)));
});

test('benefit 4, session resumability: the line that was said continues at the reasoner, and pays for no work anew', ({
  save,
  resumed,
  told,
}) => {
  assert.is(save.resume, `tollgate supervise --resume ${save.sessions.worker.session_id}`);
  assert.is(resumed.code, 0);
  assert.equal([told.worker.length, told.reasoner.length], [7, 8]);
});

test('benefit 5, clear communication: live lines, the summary and its table say what happens, and how to continue', ({
  outage,
  save,
}) => {
  assert.match(outage.said, `session saved; resume with: ${save.resume}`);
  assert.match(outage.summary, '| 7 | Error | 3 → SAVE | Exit | N/A |');
  assert.match(outage.summary, save.resume);
});

test.run();
