// What a reasoner may say that is too much, wrapped up, or against the scope: nothing of it reaches the worker that should not.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
    { raw: `{${long}` },
    {
      raw: `Let me think {about it}.\n\n${JSON.stringify({ action: 'continue', instruction: 'Task B' })}\n\nThat is all.`,
    },
    DONE,
  ]);
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.equal(task.instructions(), ['Task A', 'Task A', 'Task A', 'Task B']);
  assert.equal(
    ran.report.supervision!.iterations.map(({ errors }) => errors),
    ['1 → NO_OP', '2 → NO_OP', '0 (reset)', '0'],
  );
  // Nobody is shown a megabyte of it either.
  assert.ok(task.prompts(REASONER).every((prompt) => prompt.length < 100_000));
});

const secret = (text: string) => ({ do: 'save', file: 'secret.txt', text }) as const;

/** It does what it is told, and what it is told is out of bounds. */
const obedient = (n: number) => (n === 2 ? [secret('theirs'), ...changes(n)] : changes(n));

test('an instruction against the scope stands, its change stays, the reasoner is told, and no done counts while it is there', async ({
  rig,
}) => {
  rig.write('secret.txt', 'mine');
  play(rig, [{ action: 'continue', instruction: 'Change secret.txt.' }, DONE, DONE, DONE, DONE], obedient);
  const task = superviseTask(rig, {
    scope: { allow: ['src/**'], deny: ['secret.txt'] },
    supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER }, max_iterations: 4 },
  });
  const ran = await task.supervise();
  assert.equal([ran.code, ran.report.failure!.evidence!.rule], [1, 'supervise-max-iterations'], ran.said);
  const [, second, third] = task.prompts(REASONER);
  assert.match(second!, /Findings on the work[\s\S]*secret\.txt/);
  assert.match(third!, /it does not count[\s\S]*secret\.txt/);
  assert.match(task.prompts(WORKER)[1]!, 'secret.txt');
  assert.match(ran.summary, 'secret.txt (modified)');
  assert.is(readFileSync(path.join(rig.project, 'secret.txt'), 'utf8'), 'theirs');
});

test('with --restore its change is put back at once, the reasoner is told, and done counts', async ({ rig }) => {
  rig.write('secret.txt', 'mine');
  play(rig, [{ action: 'continue', instruction: 'Change secret.txt.' }, DONE], obedient);
  const task = superviseTask(rig, { scope: { allow: ['src/**'] } });
  const ran = await task.supervise('--restore');
  assert.match(task.prompts(REASONER)[1]!, 'secret.txt');
  assert.equal([ran.code, readFileSync(path.join(rig.project, 'secret.txt'), 'utf8')], [0, 'mine'], ran.said);
});

test('a session that its CLI does not find is begun afresh, and told where the work stands', async ({ rig }) => {
  play(rig, [{ action: 'save_session', why: 'later' }, DONE]);
  const task = superviseTask(rig);
  await task.supervise();
  assert.is(existsSync(path.join(rig.home, '.codex/sessions')), false);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.match(ran.summary, 'a new session gets a summary of the work');
  assert.match(task.prompts(REASONER)[1]!, '# State of the work');
});

test.run();
