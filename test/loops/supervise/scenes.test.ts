// The scenes of a supervision with fakes: done and not believed, questions and notes, the stops, failures of the worker, the saved session and the way on.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { answerWith } from '../../rig/streams.ts';
import { changes, failing, play, REASONER, still, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('supervise');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const savedIn = (folder: string): SessionSave =>
  JSON.parse(readFileSync(path.join(folder, 'state/session_save.json'), 'utf8')) as SessionSave;
const DONE = { action: 'done', summary: 'All of it.' };
const toolsOf = (rig: TestRig) => rig.calls.map(({ report }) => (report.tool === WORKER ? 'w' : 'r')).join('');
const answerFix = (rig: TestRig, text: string, ...flags: string[]) =>
  rig.run('tollgate', ['answer', 'fix', text, '--json', ...flags]);

test('done is believed once the acceptance commands pass; before, the reasoner alone hears what failed', async ({
  rig,
}) => {
  play(rig, [DONE, { action: 'continue', instruction: 'Make step-2.' }, DONE]);
  const task = superviseTask(rig, { acceptance: { commands: ['test -e src/step-2.txt'] } });
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.equal([toolsOf(rig), task.instructions()], ['wrrwr', ['Task A', 'Make step-2.']]);
  const [, second, third] = task.prompts(REASONER);
  assert.match(second!, 'Your last answer was "done", and it does not count');
  assert.match(second!, 'test -e src/step-2.txt');
  assert.not.match(third!, 'does not count');
  assert.match(third!, '`test -e src/step-2.txt`: passed');
  assert.match(ran.summary, 'Done: All of it.');
  assert.equal((await task.supervise()).code, 0);
  assert.is(rig.calls.length, 5);
});

test('a question parks the task, and its answer reaches the reasoner; a failure of the worker saves the session, and clears no instruction', async ({
  rig,
}) => {
  play(
    rig,
    [{ action: 'ask', question: 'Which flag?' }, { action: 'continue', instruction: 'Keep the old one.' }, DONE],
    (n) => (n === 2 ? failing(WORKER) : changes(n)),
  );
  const task = superviseTask(rig);
  const parked = await task.supervise();
  assert.is(parked.code, 1, parked.said);
  assert.match(parked.summary, 'Question: Which flag?');
  assert.match(parked.summary, 'tollgate answer fix');
  assert.is(parked.report.supervision!.how, 'parked');
  assert.is((await task.supervise()).code, 1);
  const report = await rig.run('tollgate', ['report', '--json']);
  assert.match(report.stdout, 'Which flag?');
  const { code, stdout } = await answerFix(rig, 'The old flag.');
  assert.equal(
    [code, JSON.parse(stdout).failure.class, savedIn(task.folder).instruction],
    [1, 'auth', 'Keep the old one.'],
  );
  assert.is((await task.supervise()).code, 0);
  assert.equal([toolsOf(rig), task.instructions()], ['wrrwwr', ['Task A', 'Keep the old one.', 'Keep the old one.']]);
  assert.match(task.prompts(REASONER)[1]!, /What a person answers to your question: Which flag\?[\s\S]*The old flag\./);
  assert.not.match(task.prompts(REASONER)[2]!, 'The old flag.');
});

test('a note while the worker is at work is no tampering, and is heard in the same iteration', async ({ rig }) => {
  const task = superviseTask(rig);
  const running = rig.start('tollgate', ['supervise', 'fix', '--json']);
  const worker = await rig.call();
  assert.match((await answerFix(rig, 'Mind the CSS.')).stdout, '"state":"running"');
  await worker.tell(...changes(1));
  const reasoner = await rig.call();
  assert.match(reasoner.report.stdin.text, 'Mind the CSS.');
  await reasoner.tell(...answerWith(REASONER, JSON.stringify(DONE)));
  assert.is((await running.result).code, 0);
  assert.is(task.failure(), null);
});

test('answers that cannot be read and failures alike: the third saves the session, and its id resumes it; on a machine without the sessions fresh ones are told', async ({
  rig,
}) => {
  spawnSync('git', ['init', '-q', '-b', 'main', rig.project]);
  play(rig, [{ raw: '{"action":"continue","instruction":"Do ha' }, 'fails', { raw: '' }, DONE]);
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.is(ran.code, 1, ran.said);
  assert.equal(task.instructions(), ['Task A', 'Task A', 'Task A']);
  const save = savedIn(task.folder);
  assert.equal(
    [
      save.how,
      save.task,
      save.instruction,
      save.iterations,
      save.changed_files.map((one) => one.path),
      save.git!.branch,
    ],
    ['saved', 'Task A', 'Task A', 3, ['src/step-1.txt', 'src/step-2.txt', 'src/step-3.txt'], 'main'],
  );
  assert.match(readFileSync(save.patch!, 'utf8'), '+++ b/src/step-3.txt');
  assert.match(ran.summary, save.resume);
  // The tree moves on.
  const file = path.join(rig.project, 'src/step-2.txt');
  writeFileSync(file, 'mine\n');
  const refused = await rig.run('tollgate', save.resume.split(' ').slice(1));
  assert.is(refused.code, 2);
  assert.match(refused.stderr, 'src/step-2.txt');
  writeFileSync(file, '2\n');
  const [, again] = rig.calls.filter(({ report }) => report.tool === WORKER).map(({ report }) => report.argv.join(' '));
  assert.match(again!, save.sessions.worker.session_id!);
  rmSync(path.join(rig.home, '.codex'), { recursive: true, force: true });
  const resumed = await rig.run('tollgate', save.resume.split(' ').slice(1));
  assert.is(resumed.code, 0, resumed.stderr);
  for (const shown of [resumed.stderr, resumed.stdout])
    assert.match(shown, 'is not on this machine; a new session gets a summary of the work');
  assert.match(task.prompts(REASONER).at(-1)!, 'State of the work');
  assert.is(toolsOf(rig), 'wrwrwrr');
});

test('it stops where nothing comes of an instruction', async ({ rig }) => {
  const keeps = Array.from({ length: 9 }, () => ({ action: 'no_op' }));
  play(rig, keeps, still);
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.equal([ran.code, rig.calls.length], [1, 6]);
  assert.match(ran.summary, 'changed nothing in the tree 3 times');
  assert.is(savedIn(task.folder).instruction, 'Task A');
});

test('bad input: no supervise, run in its place, a save of another version, another goal, an agent that answers', async ({
  rig,
}) => {
  play(rig, [{ action: 'save_session', why: 'later' }, DONE]);
  const task = superviseTask(rig);
  assert.match(
    (await task.run()).said,
    'fix is a supervised task, and has no stages to run; say tollgate supervise fix',
  );
  await task.supervise();
  const file = path.join(task.folder, 'state/session_save.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"schema": 1', '"schema": 7'));
  const foreign = await task.supervise();
  assert.equal([foreign.code, rig.calls.length], [2, 2]);
  assert.match(foreign.said, 'it was saved by another version (schema 7; this one knows 1)');
  rig.write('.tmp/task/fix/manifest.json', task.read('manifest.json').replace('Task A', 'Task Z'));
  assert.match((await task.supervise('--accept-tree')).said, 'use --anew to start again');
  const within = await rig.run('tollgate', ['answer', 'fix', 'yes'], { env: { TOLLGATE_CALL_ID: 'c1' } });
  assert.equal([within.code, /a call may not answer for a person/.test(within.stderr)], [2, true]);
  assert.match((await rig.run('tollgate', ['supervise', '--resume', 'nobody'])).stderr, 'has a session "nobody"');
  assert.is(rig.calls.length, 2);
  const anew = await task.supervise('--anew');
  assert.equal([anew.code, task.instructions()], [0, ['Task A', 'Task Z']]);
});

test.run();
