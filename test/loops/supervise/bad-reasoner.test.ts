// What a reasoner may say that is too much, wrapped up, or against the scope: nothing of it reaches the worker that should not.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import type { FakeCommand } from '../../rig/fake-call.ts';
import { changes, play, REASONER, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('bad reasoner');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };

test('1 MB is a failure, and JSON between sentences is none', async ({ rig }) => {
  const long = 'Delete everything. '.repeat(60_000);
  play(rig, [
    { raw: JSON.stringify({ action: 'continue', instruction: long }) },
    {
      raw: `Let me think {about it}.\n\n${JSON.stringify({ action: 'continue', instruction: 'Task B' })}\n\nThat is all.`,
    },
    DONE,
  ]);
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.equal(task.instructions(), ['Task A', 'Task A', 'Task B']);
  assert.equal(
    ran.report.supervision!.iterations.map(({ errors }) => errors),
    ['1 → NO_OP', '0 (reset)', '0'],
  );
  // Nobody is shown a megabyte of it either.
  assert.ok(task.prompts(REASONER).every((prompt) => prompt.length < 100_000));
});

/** It does what it is told, also what is out of bounds. */
const obedient = (n: number): FakeCommand[] => {
  const text = [null, 'theirs', 'mine'][n - 1] ?? null;
  return text === null ? changes(n) : [{ do: 'save', file: 'secret.txt', text }, ...changes(n)];
};

test('an instruction against the scope is sent, its change stays, the reasoner reads it, and no done counts until it is taken back', async ({
  rig,
}) => {
  rig.write('secret.txt', 'mine');
  const takeBack = { action: 'continue', instruction: 'Take it back.' };
  play(rig, [{ action: 'continue', instruction: 'Change secret.txt.' }, DONE, DONE, takeBack, DONE], obedient);
  const task = superviseTask(rig, { scope: { allow: ['src/**'], deny: ['secret.txt'] } });
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  const [, second, third, fourth] = task.prompts(REASONER);
  assert.match(second!, /Findings on the work[\s\S]*secret\.txt/);
  for (const refused of [third!, fourth!]) assert.match(refused, /it does not count[\s\S]*secret\.txt/);
  assert.equal(task.instructions(), ['Task A', 'Change secret.txt.', 'Take it back.']);
});

test('a change out of scope is named where the iterations are used up', async ({ rig }) => {
  rig.write('secret.txt', 'mine');
  play(rig, [{ action: 'continue', instruction: 'Change secret.txt.' }, { action: 'no_op' }], obedient);
  const task = superviseTask(rig, {
    scope: { allow: ['src/**'] },
    supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER }, max_iterations: 2 },
  });
  const ran = await task.supervise();
  assert.equal([ran.code, rig.calls.length, ran.report.failure!.evidence!.rule], [1, 4, 'supervise-max-iterations']);
  for (const words of ['max_iterations is 2', 'secret.txt (modified)']) assert.match(ran.summary, words);
  assert.is(readFileSync(path.join(rig.project, 'secret.txt'), 'utf8'), 'theirs');
  const { instruction } = JSON.parse(task.read('state/session_save.json')) as SessionSave;
  assert.is(instruction, 'Change secret.txt.');
});

test('with --restore its change is put back at once, the reasoner is told, and done counts', async ({ rig }) => {
  rig.write('secret.txt', 'mine');
  play(rig, [{ action: 'continue', instruction: 'Change secret.txt.' }, DONE], obedient);
  const task = superviseTask(rig, { scope: { allow: ['src/**'] } });
  const ran = await task.supervise('--restore');
  assert.match(task.prompts(REASONER)[1]!, 'secret.txt');
  assert.equal([ran.code, readFileSync(path.join(rig.project, 'secret.txt'), 'utf8')], [0, 'mine'], ran.said);
});

test.run();
