// A session that a person has open in its CLI: a run says so, and waits until it is closed, or begins a fresh one.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSession, SESSION_IDS } from '../../rig/session-files.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite<{ rig: TestRig; person: ChildProcess; task: TestTask }>('open elsewhere');
test.before.each(async (context) => {
  const rig = await TestRig.open();
  context.rig = rig;
  makeSession('gemini', rig, [{ prompt: '[Feature: fix]\n\none', answer: 'ONE' }]);
  // A gemini at a terminal, which was told to continue in this session.
  const sleeps = ['-e', 'console.log(1); setInterval(() => {}, 1000)', '--', '--resume', ID];
  context.person = spawn(process.execPath, sleeps, {
    cwd: rig.project,
    argv0: 'gemini',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(context.person.stdout!, 'data');
  context.task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'review', ...ANY_ANSWER }] });
});
test.after.each(async ({ rig, person }) => {
  person.kill('SIGKILL');
  await rig.dispose();
});

const ID = SESSION_IDS.gemini;
const FRESH = '00000000-0000-4000-8000-000000000002';
const can = where('linux', test);

const resumed = (rig: TestRig) => rig.calls.map(({ report: { argv } }) => argv.includes(ID));

can('it is waited for, with a word, and continued once it is closed', async ({ rig, person, task }) => {
  rig.answer(() => answerWith('gemini', 'fine', ID));
  const running = task.start();
  const words = `session ${ID} is open: gemini was started with it \\(process ${person.pid}\\); waiting until it is closed`;
  await running.says(new RegExp(words));
  assert.is(rig.calls.length, 0);
  person.kill('SIGKILL');
  const { code } = await running.result;
  assert.equal([code, resumed(rig)], [0, [true]]);
});

can('whoever is told to stop meanwhile has paid nothing', async ({ rig, task }) => {
  const running = task.start();
  await running.says(/waiting until it is closed/);
  running.signal('SIGTERM');
  assert.equal([(await running.result).code, rig.calls.length], [143, 0]);
});

can('--when-open=fresh continues with its work in a new one, and leaves it alone', async ({ rig, task }) => {
  rig.answer(() => answerWith('gemini', 'fine', FRESH));
  const { code, said } = await task.run('--when-open=fresh');
  assert.equal([code, resumed(rig)], [0, [false]]);
  assert.match(said, `a fresh session takes the place of ${ID}, which is open: gemini was started with it`);
  assert.match(rig.calls[0]!.report.stdin.text, '# State of the work');
});

test.run();
