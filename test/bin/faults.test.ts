// The wrappers when the world around a call breaks: nothing survives, nothing paid is lost, no unpublished exit code.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv } from '../rig/fault-shim.ts';
import { answerWith, SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { unless, where } from '../rig/where-possible.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('faults');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

withFaults('TERM with a record that cannot be written still ends the tree, and exits 143', async ({ rig }) => {
  const under = path.join(rig.project, 'records');
  mkdirSync(under);
  // The first is the look at the folder, before anything is paid.
  Object.assign(rig.env, faultEnv({ in: 'run_codex.cjs', under, at: 2, times: 0, does: 'ENOSPC' }));
  const { running } = runWrapper(rig, 'codex', ['--result=records/r.json']);
  const fake = await rig.call();
  await fake.spawn(['sleep', '600'], { detached: true });
  running.signal('SIGTERM');
  const { code, stderr } = await running.result;
  assert.is(code, 143);
  assert.match(stderr, /the result could not be written .*what could be kept of it is in/);
  assert.equal(rig.survivors(), []);
});

test('an answer that comes after the signal to stop is no success', async ({ rig }) => {
  const running = runWrapper(rig, 'codex');
  const fake = await rig.call();
  const [answer] = answerWith('codex', 'too late');
  await fake.tell(write(STREAMS.codex.opens(SESSION)), {
    do: 'trap',
    signals: ['SIGTERM'],
    run: [answer!, { do: 'exit', code: 0 }],
  });
  running.running.signal('SIGTERM');
  const { code, record } = await running.ended();
  assert.equal(
    [code, record.verdict.class, record.verdict.reason, record.ending],
    [143, 'transient', 'cancelled', 'cancelled'],
  );
});

test('a temporary folder that is not there costs nothing', async ({ rig }) => {
  rig.env.TMPDIR = path.join(rig.root, 'nowhere');
  const { code, said, record } = await runWrapper(rig, 'gemini').ended();
  assert.equal([code, record.verdict.reason, rig.calls.length], [12, 'disk', 0]);
  assert.match(said, 'Make its folders and $TMPDIR writable');
  assert.equal(
    readdirSync(rig.project).filter((name) => name.startsWith('.')),
    [],
  );
});

for (const at of [1, 2, 3, 4, 5])
  withFaults(`a disk without room at its call ${at} leaves nothing of a call that was not made`, async ({ rig }) => {
    rig.answer(() => answerWith('codex', 'ok'));
    Object.assign(rig.env, faultEnv({ in: 'run_codex.cjs', under: rig.project, at, times: 0, does: 'ENOSPC' }));
    const { code } = await runWrapper(rig, 'codex').running.result;
    assert.ok(code === 2 || code === 12, `${code}`);
    if (rig.calls.length > 0) return;
    const left = [...readdirSync(rig.project), ...readdirSync(rig.env.TMPDIR!)];
    assert.equal(
      left.filter((name) => /^\.tollgate-|^tg-/.test(name)),
      [],
    );
  });

test('a refused call leaves the record of a paid one in the task as it is', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'paid'));
  const task = path.join(rig.project, 'tasks/one');
  mkdirSync(task, { recursive: true });
  writeFileSync(
    path.join(task, 'manifest.yaml'),
    'task_id: one\ngoal: g\nstages: [{tool: codex, role: brief}]\nbudgets: {paid_call_budget: 1}\n',
  );
  await runWrapper(rig, 'codex', ['--task', `${task}/`]).ended();
  const file = path.join(task, 'outputs/codex_adhoc.codex.call.json');
  const before = readFileSync(file, 'utf8');
  const { code, record } = await runWrapper(rig, 'codex', ['--task', `${task}/`]).ended();
  assert.equal([code, record.verdict.reason, readFileSync(file, 'utf8')], [12, 'budget', before]);
  assert.is(readdirSync(path.join(task, 'state/attempts')).length, 1);
});

test('what a CLI leaves read-only in its temporary folder does not undo its answer', async ({ rig }) => {
  rig.answer(async (call) => {
    const folder = path.join(call.report.env.TMPDIR!, 'cache');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'module'), '', { mode: 0o400 });
    await call.tell(...answerWith('codex', 'ok'));
  });
  assert.is((await runWrapper(rig, 'codex').ended()).code, 0);
});

const LATE: [what: string, after: string[], stderr: string][] = [
  ['a failure event', (STREAMS.gemini as Stream).fails('busy', 503, SESSION), ''],
  ['a tool', (STREAMS.gemini as Stream).runsTool('late'), ''],
  ['an announced retry on stderr', [], 'Attempt 1 failed with status 503. Retrying with backoff... x\n'],
];
for (const [what, after, stderr] of LATE)
  test(`${what} after the terminal success does not undo the answer`, async ({ rig }) => {
    const { opens, says, succeeds }: Stream = STREAMS.gemini;
    rig.answer(() => [
      write([...opens(SESSION), ...says('whole'), ...succeeds(SESSION), ...after]),
      { do: 'write', to: 'stderr', text: stderr },
      { do: 'exit', code: 0 },
    ]);
    const { code, out } = await runWrapper(rig, 'gemini').ended();
    assert.equal([code, out], [0, 'whole']);
  });

test('the retry of another program on stderr is not one of the engine', async ({ rig }) => {
  const running = runWrapper(rig, 'gemini');
  const fake = await rig.call();
  await fake.tell(
    { do: 'write', to: 'stderr', text: '[mcp] lost connection to localhost. Retrying after 500ms...\n' },
    { do: 'wait', ms: 300 },
    ...answerWith('gemini', 'healthy'),
  );
  const { code, out } = await running.ended();
  assert.equal([code, out], [0, 'healthy']);
});

// The limit holds for a user namespace of its own.
const probe = spawnSync('unshare', ['-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_inotify_instances'], {
  stdio: 'ignore',
});
const withoutInotify = unless(
  probe.status === 0 ? null : 'no user namespaces here, so inotify cannot be taken away',
  test,
);
withoutInotify('where no file can be watched, it is looked at now and then', ({ rig }) => {
  rig.install('codex', { script: [...answerWith('codex', 'seen')] as never });
  rig.write('ask.md', 'x');
  const wrapper = path.resolve('dist/run_codex.cjs');
  const line = `echo 0 > /proc/sys/user/max_inotify_instances; exec ${process.execPath} ${wrapper} --prompt-file ask.md --out o.out --err o.err`;
  const { status } = spawnSync('unshare', ['-Ur', 'sh', '-c', line], {
    cwd: rig.project,
    env: rig.env,
    timeout: 200_000,
  });
  assert.is(status, 0);
  assert.is(readFileSync(path.join(rig.project, 'o.out'), 'utf8'), 'seen');
  assert.not(existsSync(path.join(rig.project, '.tollgate')));
});

test.run();
