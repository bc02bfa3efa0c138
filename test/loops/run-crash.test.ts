// A dispatched task that is run twice at once, told to stop, or killed: nothing is paid again, nobody is left.

import { readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../state/journal/ledger.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run crash');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** What `tollgate run fix` says when the agent starts it, and how it ends. */
async function runFromWithin(rig: TestRig, fake: FakeCall): Promise<string> {
  const script = path.join(import.meta.dirname, '../../dist/tollgate.cjs');
  const out = path.join(rig.root, 'nested.txt');
  const nested = `${process.execPath} '${script}' run fix > '${out}' 2>&1; echo "exit $?" >> '${out}'; mv '${out}' '${out}.whole'`;
  const ended = new Promise<void>((resolve) => {
    const watcher = watch(rig.root, (_, name) => {
      if (name !== 'nested.txt.whole') return;
      watcher.close();
      resolve();
    });
  });
  await fake.spawn(['/bin/sh', '-c', nested]);
  await ended;
  return readFileSync(`${out}.whole`, 'utf8').replace(/\d+\)/, 'PID)');
}

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

test('of two runs of one task the second waits for the first and returns its outcome', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const second = task.start();
  const refused = await task.start('--no-wait').result;
  assert.equal(
    [refused.code, /another run has this task \(pid \d+\); leave --no-wait out to wait for it/.test(refused.stderr)],
    [1, true],
  );
  await second.says(/another run has this task \(pid \d+\); waiting for it/);
  await fake.tell(...answerWith('codex', 'ok'));
  assert.is((await first.result).code, 0);
  const { code, stderr } = await second.result;
  assert.equal([code, rig.calls.length], [0, 1]);
  assert.match(stderr, /another run of fix ended with exit code 0/);
});

test('a run that gets a task which was submitted to the fleet meanwhile pays nothing', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const second = task.start();
  await second.says(/; waiting for it/);
  rig.write('.tmp/task/fix/state/submitted.json', '{"id": "7", "at": "2026-11-30T12:00:00.000Z"}');
  first.signal('SIGKILL');
  const { code, stderr } = await second.result;
  assert.equal([code, rig.calls.length], [2, 1]);
  assert.match(stderr, 'fix was submitted to the fleet at 2026-11-30T12:00:00.000Z, and would be paid here once more');
  await fake.tell(...answerWith('codex', 'ok'));
  const forced = await task.start('--force').result;
  assert.equal([forced.code, rig.calls.length], [0, 1]);
  assert.match(forced.stderr, 'fix is in the fleet too, and both pay, because of --force');
});

test('SIGTERM to the dispatcher: record, report, exit 143, nobody left; the next run continues', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  await fake.spawn(['sleep', '600'], { detached: true });
  running.signal('SIGTERM');
  const { code, stdout } = await running.result;
  assert.equal([code, JSON.parse(stdout).state], [143, 'interrupted']);
  assert.equal([task.failure()!.reason, task.failure()!.exit_code], ['cancelled', 143]);
  assert.match(task.read('outputs/_summary.md'), 'interrupted');
  assert.equal(rig.survivors(), []);
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await task.run()).code, 0);
});

test('a dispatcher that is killed leaves its call to its guardian; the next run takes the answer and pays nothing', async ({
  rig,
}) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  const { code, report } = await second;
  assert.equal([code, rig.calls.length, report.stages[0]!.calls, report.budget.used], [0, 1, 0, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('the turn on the tree stands while the call of a killed dispatcher writes, and ends with that call', async ({
  rig,
}) => {
  const impl = (id: string) =>
    makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }], scope: { allow: [`src/${id}/**`] } }, id);
  const [a, b] = [impl('a'), impl('b')];
  const first = a.start();
  const fake = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const second = b.start('--restore');
  await second.says(/stage codex_impl waits for task a \(pid \d+\), which writes in .+/);
  rig.answer(() => [{ do: 'save', file: 'src/b/x.ts', text: 'b' }, ...answerWith('codex', 'b')]);
  await fake.tell({ do: 'save', file: 'src/a/x.ts', text: 'paid for' });
  await fake.tell(...answerWith('codex', 'a'));
  assert.is((await second.result).code, 0);
  assert.is(readFileSync(path.join(rig.project, 'src/a/x.ts'), 'utf8'), 'paid for');
});

test('without its guardian too, as long as anything of the call is left', async ({ rig }) => {
  const impl = (id: string) => makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] }, id);
  const [a, b] = [impl('a'), impl('b')];
  const first = a.start();
  const fake = await rig.call();
  const [call] = openCalls(a.journal.read().ledger);
  first.signal('SIGKILL');
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await first.result;
  const second = b.start();
  await second.says(/waits for task a \(pid \d+\), which writes in /);
  rig.answer(() => [{ do: 'save', file: 'src/b/x.ts', text: 'b' }, ...answerWith('codex', 'b')]);
  await fake.tell(...answerWith('codex', 'a'));
  assert.is((await second.result).code, 0);
});

test('a run of a task from within its own call is refused, also when the dispatcher was killed and the call continues', async ({
  rig,
}) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const assertRefused = async (within: string) => {
    const said = await runFromWithin(rig, fake);
    assert.match(said, `this command was started from within ${within}, and would wait for itself; run another task`);
    assert.match(said, 'exit 1\n');
  };
  await assertRefused('the run that has this task (pid PID)');
  first.signal('SIGKILL');
  await first.result;
  await assertRefused('the call of stage codex_brief of an earlier run');
  await fake.tell(...answerWith('codex', 'ok'));
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('an answer to a digest that was paid for before a crash is not paid again', async ({ rig }) => {
  const long =
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";
  const task = makeTask(rig, ONE);
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Look at it. '.repeat(500));
  const first = task.start();
  await (await rig.call()).tell(...failWith('codex', long, 400));
  const second = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const again = task.run();
  await second.tell(...answerWith('codex', 'paid for'));
  const { code } = await again;
  assert.equal([code, rig.calls.length, task.read('outputs/codex_brief.codex.out')], [0, 2, 'paid for']);
});

test.run();
