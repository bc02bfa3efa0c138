// A guardian that is started before its call is known: without a word it does nothing, and whoever started it leaves none behind.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEarly } from '../../../loops/stage/early-guardian.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { countIn, eventsOf } from '../../rig/counted.ts';
import { answerWith } from '../../rig/streams.ts';
import { isAlive } from '../../rig/survivors.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('an early guardian');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DIST = path.resolve('dist');
const REVIEW = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };

/** A wrapper as a dispatcher starts it, which has said nothing yet. */
function waiting(rig: TestRig, script: string, ...words: string[]): ChildProcess {
  const flags = ['--out=o', '--err=e', '--result=r.json'];
  const env = { ...rig.env, TOLLGATE_DISPATCH: '3' };
  const argv = [path.join(DIST, script), ...words, ...flags];
  return spawn(process.execPath, argv, { cwd: rig.project, env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
}

const DISPATCH = { call_id: '20260101000000-00000000', flags: ['--prompt-file=ask.md'], prompt: { before: '' } };

for (const [script, ...words] of [
  ['run_codex.cjs'],
  ['tollgate.cjs', 'call', 'codex'],
  ['tollgate.cjs', 'call', 'mine'],
] as const)
  for (const [what, said] of [
    ['nothing', ''],
    ['half of it', JSON.stringify(DISPATCH)],
  ] as const)
    test(`${[script, ...words].join(' ')} whose dispatcher says ${what} and dies does nothing`, async ({ rig }) => {
      rig.write('ask.md', 'hi\n');
      const before = readdirSync(rig.project);
      const guardian = waiting(rig, script, ...words);
      (guardian.stdio[3] as Socket).end(said);
      assert.equal(await once(guardian, 'exit'), [2, null]);
      assert.equal(readdirSync(rig.project), before);
      assert.is(rig.calls.length, 0);
    });

for (const [what, descriptor] of [
  ['no descriptor', ''],
  ['a file', ' 3<said'],
  ['a pipe that nobody ends', ' 3<>pipe'],
] as const)
  test(`whoever sets its variable by hand, with ${what}, does not take that for a call`, ({ rig }) => {
    rig.write('ask.md', 'hi\n');
    rig.write('said', `${JSON.stringify(DISPATCH)}\n`);
    const words = `mkfifo pipe && exec "$@"${descriptor}`;
    const argv = [path.join(DIST, 'run_codex.cjs'), '--prompt-file=ask.md', '--out=o', '--err=e', '--done-marker=d'];
    const env = { ...rig.env, TOLLGATE_DISPATCH: '3' };
    const { status, stderr } = spawnSync('sh', ['-c', words, 'sh', process.execPath, ...argv], {
      cwd: rig.project,
      env,
      encoding: 'utf8',
    });
    assert.is(status, 2);
    assert.match(stderr, /nothing was asked: TOLLGATE_DISPATCH is set/);
    assert.is(JSON.parse(readFileSync(path.join(rig.project, 'd'), 'utf8')).exit_code, 2);
    assert.is(rig.calls.length, 0);
  });

test('one that is told to end before it is told what to do just ends', async ({ rig }) => {
  const guardian = waiting(rig, 'run_codex.cjs');
  guardian.kill('SIGTERM');
  assert.equal(await once(guardian, 'exit'), [null, 'SIGTERM']);
  assert.not(existsSync(path.join(rig.project, 'r.json')));
});

const guardiansOf = (rig: TestRig, { folder }: TestTask) =>
  rig.survivors().filter(({ command }) => command.includes(`--task=${folder}/`));

const gone = async (pid: number) => {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
};

test('a run that is killed while its stage waits for the tree leaves nobody, and no call', async ({ rig }) => {
  const writer = makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] }, 'writer').start();
  const call = await rig.call();
  const task = makeTask(rig, REVIEW);
  const run = task.start();
  await run.says(/its turn on/);
  const [guardian, ...others] = guardiansOf(rig, task);
  assert.equal(others, []);
  process.kill(run.pid, 'SIGKILL');
  await gone(guardian!.pid);
  assert.not(existsSync(path.join(task.folder, 'state/attempts')));
  assert.is(task.journal.read().ledger.calls.size, 0);
  await call.tell(...answerWith('codex', 'ok'));
  await writer.result;
  rig.answer(() => answerWith('codex', 'ok'));
  const { code, report } = await task.run();
  assert.equal([code, report.budget.used], [0, 1]);
});

test('a run that is told to stop there ends its guardian, which was no call', async ({ rig }) => {
  const writer = makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] }, 'writer').start();
  const call = await rig.call();
  const task = makeTask(rig, REVIEW);
  const run = task.start();
  await run.says(/its turn on/);
  const [guardian] = guardiansOf(rig, task);
  process.kill(run.pid, 'SIGTERM');
  assert.is((await run.result).code, 143);
  assert.not(isAlive(guardian!.pid));
  assert.is(task.journal.read().ledger.calls.size, 0);
  await call.tell(...answerWith('codex', 'ok'));
  await writer.result;
});

test('a stage whose prompt cannot be made needs none, and leaves none', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', attach: ['none.md'], ...ANY_ANSWER }] });
  const { code } = await task.outcome();
  assert.is(code, 2);
  assert.equal(guardiansOf(rig, task), []);
  assert.is(task.journal.read().ledger.used, 0);
});

/** What a stage has by the time that its guardian is started, over wrappers that are these lines. */
function preparing(rig: TestRig, wrapper: string) {
  const task = makeTask(rig, REVIEW);
  rig.write('commands/run_codex.cjs', wrapper);
  const located = locateTask(`${task.folder}/`, rig.project, rig.env);
  if (located.how === 'invalid') throw new Error(located.message);
  const { signal: stop } = new AbortController();
  return {
    open: { task: located.folder, cwd: rig.project, tree: rig.project, journal: task.journal },
    stage: { tool: 'codex', name: 'codex_review' },
    access: 'read',
    options: {},
    context: { environment: rig.env, commandFolder: path.join(rig.project, 'commands'), clock: () => new Date(), stop },
  } as unknown as Parameters<typeof startEarly>[0];
}

const WAITS = "require('node:fs').readFileSync(3);";

test('one that has waited too long is not kept waiting', async ({ rig }) => {
  const run = preparing(rig, WAITS);
  const early = startEarly(run, 0)!;
  assert.ok(early.waitsFor(run.stage));
  while (early.waitsFor(run.stage)) await new Promise((resolve) => setImmediate(resolve));
  assert.is(early.take(), null);
  while (rig.survivors().length > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('one that has ended meanwhile is not taken', async ({ rig }) => {
  const run = preparing(rig, WAITS);
  const early = startEarly(run)!;
  const [guardian] = rig.survivors();
  process.kill(guardian!.pid, 'SIGKILL');
  while (early.waitsFor(run.stage)) await new Promise((resolve) => setImmediate(resolve));
  assert.is(early.take(), null);
});

test('it is taken once, and for its own stage', async ({ rig }) => {
  const run = preparing(rig, WAITS);
  const early = startEarly(run)!;
  assert.not(early.waitsFor({ ...run.stage }));
  const guardian = early.take()!;
  assert.equal([early.waitsFor(run.stage), early.take()], [false, null]);
  guardian.send('');
  assert.equal(await guardian.gone, { signal: null, how: 'ended with exit code 0' });
});

test('each call of two stages and a retry has one, and no other process', async ({ rig }) => {
  const stage = (role: string) => ({ tool: 'codex', role, ...ANY_ANSWER });
  const task = makeTask(rig, { stages: [stage('brief'), stage('review')] });
  const counted = countIn(rig);
  let asked = 0;
  rig.answer(() => {
    asked += 1;
    return asked === 2
      ? [
          { do: 'write', to: 'stderr', text: 'Error: 503 Service Unavailable\n' },
          { do: 'exit', code: 1 },
        ]
      : answerWith('codex', 'ok');
  });
  const { code } = await task.start().result;
  assert.is(code, 0);
  const run = counted().find(({ script }) => script === 'tollgate.cjs')!;
  assert.is(asked, 3);
  assert.is(eventsOf(run, 'spawn', /node$/).length, 3);
});

test.run();
