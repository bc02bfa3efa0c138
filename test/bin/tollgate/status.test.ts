// tollgate status: what is there, what runs, who stands in line; broken folders are named, and nothing is changed.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TasksStatus } from '../../../loops/report/status.ts';
import { answerWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate status');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

async function statusOf(rig: TestRig, ...argv: string[]): Promise<TasksStatus> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['status', '--json', ...argv]);
  assert.equal([code, stderr], [0, '']);
  return JSON.parse(stdout);
}

const show = async (rig: TestRig, ...argv: string[]) =>
  (await rig.run('tollgate', ['status', ...argv])).stdout.replaceAll(rig.root, '~');

test('no task at all', async ({ rig }) => {
  assert.is(await show(rig), '0 tasks in ~/project/.tmp/task\n');
  const { tasks, running, waiting } = await statusOf(rig);
  assert.equal({ tasks, running, waiting }, { tasks: [], running: { batches: [], runs: [], calls: [] }, waiting: [] });
});

test('a call under way, who waits for its tree, and how the others stand', async ({ rig }) => {
  mkdirSync(path.join(rig.project, '.git'));
  const WRITES = { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] };
  const first = makeTask(rig, WRITES, 'first').start();
  const fake = await rig.call();
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  const second = makeTask(rig, WRITES, 'second').start();
  await second.says(/waits for task /);
  makeTask(rig, WRITES, 'third');

  const { totals, running, waiting, tasks } = await statusOf(rig);
  assert.equal([totals.tasks, totals.running, totals.never_run], [3, 2, 1]);
  const [call, ...more] = running.calls;
  assert.equal([call!.task_id, call!.stage, call!.tool, call!.attempt, more], ['first', 'codex_impl', 'codex', 1, []]);
  assert.ok(call!.elapsed_ms >= 0 && call!.pid > 1 && Date.parse(call!.deadline_at) > Date.parse(call!.since));
  assert.equal(running.runs.map(({ task_id }) => task_id).sort(), ['first', 'second']);
  assert.equal(
    waiting.map(({ task_id, stage, what, behind }) => ({ task_id, stage, what, behind })),
    [{ task_id: 'second', stage: 'codex_impl', what: 'tree', behind: ['first'] }],
  );
  assert.equal(tasks.find(({ task_id }) => task_id === 'third')?.state, 'never_run');

  const page = await show(rig);
  for (const line of [
    /^Running:$/m,
    /^first +codex_impl +codex +\d+ s /m,
    /^second +codex_impl +working tree +\d+ +first$/m,
  ])
    assert.match(page, line);
  await fake.tell(...answerWith('codex', 'ok'));
  await (await rig.call()).tell(...answerWith('codex', 'ok'));
  await Promise.all([first.result, second.result]);
  assert.equal((await statusOf(rig)).running, { batches: [], runs: [], calls: [] });
});

test('a folder that is broken is named, and the others are shown', async ({ rig }) => {
  makeTask(rig, { stages: [] }, 'good');
  rig.write('.tmp/task/newer/state/journal.jsonl', '{"v":99,"at":"2026-01-01T00:00:00.000Z","fact":"done"}\n');
  const { tasks, unreadable, totals } = await statusOf(rig);
  assert.equal([tasks.map(({ task_id }) => task_id), totals.unreadable], [['good'], 1]);
  assert.match(unreadable[0]!.folder, /newer$/);
  assert.match(await show(rig), /^Not readable: ~\/project\/\.tmp\/task\/newer: /m);
});

test('a folder that is not there is a mistake', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['status', './none']);
  assert.is(code, 2);
  assert.match(stderr, /^tollgate status: .*none is not a folder; name the one that holds the tasks/);
  const task = await rig.run('tollgate', ['status', 'none']);
  assert.is(task.code, 2);
  assert.match(task.stderr, /^tollgate status: there is no task at .*\.tmp\/task\/none/);
});

test.run();
