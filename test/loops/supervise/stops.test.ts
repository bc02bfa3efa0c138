// What stops a supervision from without: its limits and signals. Each saves the session, and going on pays for nothing twice.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { answerWith } from '../../rig/streams.ts';
import { changes, play, REASONER, type SupervisedTask, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';

const test = suite<{ rig: TestRig }>('stops');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };
const GO_ON = { action: 'continue', instruction: 'Task B' };
const toolsOf = (rig: TestRig) => rig.calls.map(({ report }) => (report.tool === WORKER ? 'w' : 'r')).join('');
const savedBy = (task: SupervisedTask) => JSON.parse(task.read('state/session_save.json')) as SessionSave;

/** As a person edits it. */
function setLimit(rig: TestRig, task: SupervisedTask, budgets: object): void {
  const manifest = { ...JSON.parse(task.read('manifest.json')), budgets } as object;
  rig.write(path.relative(rig.project, path.join(task.folder, 'manifest.json')), JSON.stringify(manifest));
}

/** claude says what its calls cost. */
const PAID_REASONER = { supervise: { worker: { tool: WORKER }, reasoner: { tool: 'claude' } } };

function playPaid(rig: TestRig, said: readonly object[]): void {
  const next = said[Symbol.iterator]();
  let works = 0;
  rig.answer(({ report }) => {
    if (report.tool !== WORKER) return answerWith('claude', JSON.stringify(next.next().value));
    works += 1;
    return changes(works);
  });
}

test('each limit ends it before the next call of either part, with the session saved; with more of it the next run continues there', async ({
  rig,
}) => {
  playPaid(rig, [GO_ON, DONE]);
  const task = superviseTask(rig, PAID_REASONER);
  for (const [budgets, says, calls] of [
    [{ max_tokens: 30 }, 'of 30 tokens are used up', 'wr'],
    [{ max_usd: 0.0001 }, 'of $0.0001', 'wr'],
    [{ paid_call_budget: 2 }, '2 of 2 paid calls', 'wr'],
    [{ paid_call_budget: 3 }, '3 of 3 paid calls', 'wrw'],
  ] as const) {
    setLimit(rig, task, budgets);
    const ran = await task.supervise();
    assert.equal([ran.code, toolsOf(rig), ran.report.failure!.reason], [1, calls, 'budget'], ran.said);
    assert.match(ran.summary, says);
    assert.equal([savedBy(task).how, savedBy(task).instruction], ['stopped', 'Task B']);
  }
  setLimit(rig, task, { paid_call_budget: 9, max_usd: 9 });
  const resumed = await rig.run('tollgate', savedBy(task).resume.split(' ').slice(1));
  assert.is(resumed.code, 0, resumed.stderr);
  assert.equal([toolsOf(rig), task.instructions()], ['wrwr', ['Task A', 'Task B']]);
});

test('the wall clock ends the call that runs over it, and another run has a clock of its own', async ({ rig }) => {
  let works = 0;
  rig.answer(({ report }) => {
    if (report.tool === REASONER) return answerWith(REASONER, JSON.stringify(DONE));
    works += 1;
    return works === 1 ? [{ do: 'hang' }] : changes(works);
  });
  const { task, ran } = await withinLimit(2000, async (limitMs) => {
    const asked = superviseTask(rig, { budgets: { max_wallclock_sec: limitMs / 1000 } }, `fix-${limitMs}`);
    const ended = await asked.supervise();
    return works > 0 ? { task: asked, ran: ended } : TOO_LATE;
  });
  assert.equal([ran.code, toolsOf(rig), savedBy(task).how], [1, 'w', 'stopped'], ran.said);
  setLimit(rig, task, {});
  assert.is((await task.supervise()).code, 0);
  assert.equal([toolsOf(rig), task.instructions()], ['wwr', ['Task A', 'Task A']]);
});

test('INT during a call of either part: the session is saved, and that call alone is made again', async ({ rig }) => {
  const task = superviseTask(rig);
  const start = () => rig.start('tollgate', ['supervise', 'fix', '--json']);
  const first = start();
  const worker = await rig.call();
  first.signal('SIGINT');
  assert.is((await first.result).code, 130);
  await worker.gone;
  assert.equal([savedBy(task).how, savedBy(task).iterations], ['interrupted', 1]);
  const second = start();
  await (await rig.call()).tell(...changes(1));
  const reasoner = await rig.call();
  second.signal('SIGINT');
  assert.is((await second.result).code, 130);
  await reasoner.gone;
  assert.equal([savedBy(task).how, savedBy(task).iterations], ['interrupted', 1]);
  play(rig, [DONE]);
  assert.is((await task.supervise()).code, 0);
  assert.is(toolsOf(rig), 'wwrr');
});

test('--deadline saves the session as TERM does, and one that is no duration is refused', async ({ rig }) => {
  const task = superviseTask(rig);
  const wrong = await rig.run('tollgate', ['supervise', 'fix', '--deadline', 'soon']);
  assert.is(wrong.code, 2);
  assert.match(wrong.stdout + wrong.stderr, '--deadline takes a duration');
  const { code } = await rig.start('tollgate', ['supervise', 'fix', '--json', '--deadline', '10s']).result;
  assert.is(code, 143);
  assert.is(savedBy(task).how, 'interrupted');
});

test('INT while the acceptance commands look at the work: saved, and the work that was paid for is looked at anew', async ({
  rig,
}) => {
  const at = (name: string) => path.join(rig.root, name);
  // It holds the run up until it is told to stop, the first time alone.
  const command = `mkdir '${at('once')}' 2>/dev/null || exit 0; : > '${at('began')}'; exec tail -f /dev/null`;
  const began = new Promise<void>((resolve) => {
    const watcher = watch(rig.root, { persistent: false }, (_, name) => {
      if (name !== 'began') return;
      watcher.close();
      resolve();
    });
  });
  play(rig, [DONE]);
  const task = superviseTask(rig, { acceptance: { commands: [command] } });
  const running = rig.start('tollgate', ['supervise', 'fix', '--json']);
  await Promise.race([began, running.result]);
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  assert.equal([toolsOf(rig), savedBy(task).how], ['w', 'interrupted']);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.is(toolsOf(rig), 'wr');
});

test('a tree that has moved on, and a branch that is gone, are continued by --accept-tree', async ({ rig }) => {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.project });
  git('init', '-q', '-b', 'work');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  play(rig, [{ action: 'save_session', why: 'later' }, GO_ON, DONE]);
  const task = superviseTask(rig);
  assert.is((await task.supervise()).code, 1);
  git('checkout', '-q', '-b', 'other');
  git('branch', '-q', '-D', 'work');
  const file = path.join(rig.project, 'src/step-1.txt');
  writeFileSync(file, 'mine\n');
  const refused = await task.supervise();
  assert.is(refused.code, 2);
  assert.match(refused.said, /the branch work is gone; a file was changed since: src\/step-1.txt/);
  assert.match(refused.said, 'use --accept-tree to continue in it as it is');
  const ran = await task.supervise('--accept-tree');
  assert.is(ran.code, 0, ran.said);
  assert.equal([toolsOf(rig), readFileSync(file, 'utf8'), existsSync(file)], ['wrrwr', 'mine\n', true]);
});

test.run();
