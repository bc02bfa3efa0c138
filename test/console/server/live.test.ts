// What the console tells its pages: also of what changed between the reading of the rows and the first look at the tasks.

import { EventEmitter, once } from 'node:events';
import { rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChangeTold, RefusedRequest, TaskLine } from '../../../console/contract/page.ts';
import { follow } from '../../../console/server/live.ts';
import type { CommandResult, ServedProject } from '../../../console/server/project.ts';
import { make } from '../../../console/server/routes.ts';
import { followNow } from '../../../loops/report/follow-now.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const STAGES = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

const test = suite<{ rig: TestRig; stop: AbortController }>('changes told to pages');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.stop = new AbortController();
});
test.after.each(({ rig, stop }) => {
  stop.abort();
  return rig.dispose();
});

test('one that ran, came or went before the first look', async ({ rig, stop }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const rests = makeTask(rig, STAGES, 'rests');
  await rests.run();
  for (const id of ['runs', 'goes']) makeTask(rig, STAGES, id);
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  const live = follow(project, stop.signal);
  const page = new Map((await live.lines.all()).map((line) => [line.task_id, line]));
  assert.equal(statesOf(page), ['goes never_run', 'rests done', 'runs never_run']);

  rig.write('.tmp/task/runs/state/journal.jsonl', rests.read('state/journal.jsonl').replaceAll('rests', 'runs'));
  rmSync(path.join(rig.project, '.tmp/task/goes'), { recursive: true });
  makeTask(rig, STAGES, 'comes');
  const named = await new Promise<string[]>((resolve) => {
    live.listen(({ topic, change }: ChangeTold) => {
      if (topic !== 'tasks' || !change || change.gone.length === 0) return;
      for (const line of change.lines) page.set(line.task_id, line);
      for (const id of change.gone) page.delete(id);
      resolve([...change.lines.map(({ task_id: id }) => id), ...change.gone].sort());
    });
  });
  assert.equal(statesOf(page), ['comes never_run', 'rests done', 'runs done']);
  // Nothing that rests is read again for it.
  assert.equal(named, ['comes', 'goes', 'runs']);
});

for (const atRest of [10, 0])
  test(`a goal that is written anew before the first run, with ${atRest} watches for tasks at rest`, async ({
    rig,
    stop,
  }) => {
    makeTask(rig, { ...STAGES, goal: 'Find out.' }, 'new');
    const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
    const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
    // Without a watch a look around finds it, and with one none comes to help.
    const bounds = { sweepMs: atRest === 0 ? 50 : 3_600_000, atRest };
    const live = follow(project, stop.signal, (following) => followNow({ ...following, bounds }));
    const goals: (string | null)[] = [];
    const says = (goal: string) =>
      new Promise<void>((resolve) => {
        live.listen(({ topic, change }) => {
          if (topic !== 'tasks') return;
          goals.push(...(change?.lines ?? []).map((line) => line.goal));
          if (goals.at(-1) === goal) resolve();
        });
      });
    const first = says('Find out.');
    await live.lines.all();
    await live.now();
    await first;
    const second = says('Find out more.');
    makeTask(rig, { ...STAGES, goal: 'Find out more.' }, 'new');
    await second;
    assert.equal(
      (await live.lines.all()).map(({ goal }) => goal),
      ['Find out more.'],
    );
  });

test('a change after the clock was set back is told, and counts as the last one', async ({ rig, stop }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  await makeTask(rig, STAGES, 'rests').run();
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  let hours = 0;
  const clock = () => new Date(Date.now() + hours * 3_600_000);
  const project = { cwd: rig.project, environment, clock } as unknown as ServedProject;
  const live = follow(project, stop.signal);
  assert.equal(
    (await live.lines.all()).map(({ state }) => state),
    ['done'],
  );
  await live.now();
  for (const jump of [-24, 24]) {
    hours = jump;
    const told = new Promise<TaskLine>((resolve) => {
      live.listen(({ change }) => {
        const line = change?.lines.find(({ calls }) => calls.budget === 40 + jump);
        if (line) resolve(line);
      });
    });
    const root = path.join(rig.project, '.tmp/task/rests');
    openJournal(root, clock).append({ fact: 'budget', calls: 40 + jump, from: 'command' });
    utimesSync(path.join(root, 'state/journal.jsonl'), clock(), clock());
    assert.is((await told).state, 'done');
  }
});

test('one whose journal cannot be read has its goal all the same', async ({ rig, stop }) => {
  makeTask(rig, STAGES, 'broken');
  rig.write('.tmp/task/broken/state/journal.jsonl', '{"v":99,"at":"2026-01-01T00:00:00.000Z","fact":"done"}\n');
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  const { lines } = follow(project, stop.signal);
  await lines.spent();
  assert.equal(
    (await lines.all()).map(({ task_id: id, state, goal }) => [id, state, goal]),
    [['broken', 'unreadable', 'Find out.']],
  );
});

test('what cannot be followed is told, also to a page that comes then, and begun anew', async ({ rig, stop }) => {
  makeTask(rig, STAGES, 'rests');
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  let tries = 0;
  const waits = new EventEmitter();
  const live = follow(project, stop.signal, async function* (following) {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    const steps = followNow(following);
    yield (await steps.next()).value!;
    await steps.return(undefined);
    const broken = once(waits, 'break');
    waits.emit('waits');
    throw (await broken)[0];
  });
  const until = (trouble: RegExp | null) =>
    new Promise<void>((resolve) => {
      live.listen(({ topic, trouble: said }) => {
        if (topic === '*' && (trouble === null ? said === null : trouble.test(said ?? ''))) resolve();
      });
    });
  assert.match(await live.now().then(String, (error: Error) => error.message), /^too many open files$/);
  await until(/^tasks can't be followed: too many open files$/);
  // Who asks meanwhile waits for the next try.
  const follows = once(waits, 'waits');
  assert.is((await live.now()).totals.tasks, 1);
  await follows;
  waits.emit('break', new Error('no such device'));
  await until(/no such device/);
  await until(null);
  assert.is(tries, 3);
  assert.is((await live.now()).totals.tasks, 1);
});

const statesOf = (page: ReadonlyMap<string, TaskLine>): string[] =>
  [...page.values()].map(({ task_id: id, state }) => `${id} ${state}`).sort();

test('what was begun and is refused after the answer is told to the pages', async ({ rig, stop }) => {
  makeTask(rig, STAGES, 'checked');
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const refused = { exit: 2, object: { state: 'refused', message: 'checked has no prompt' } };
  let late = (_: CommandResult) => {};
  const commands = {
    async begin(_: unknown, endedLater: typeof late) {
      late = endedLater;
      return { how: 'added', ended: null };
    },
  };
  const served = { cwd: rig.project, environment, clock: () => new Date(), commands } as unknown as ServedProject;
  const live = follow(served, stop.signal);
  const told: ChangeTold[] = [];
  live.listen((change) => told.push(change));
  const project = { ...served, tellRefusal: (refusal: RefusedRequest) => live.tell({ topic: 'refusal', refusal }) };
  const reply = await make('/api/batch/start', JSON.stringify({ tasks: ['checked'] }), project);
  assert.equal(reply, { how: 'value', value: { says: 'The batch was begun, and is at work.' } });
  late({ exit: 1, object: { state: 'failed' } });
  late(refused);
  assert.equal(
    told.flatMap(({ refusal }) => refusal?.message ?? []),
    ['The batch was begun, but was refused: checked has no prompt'],
  );
});

test.run();
