// What runs now is followed: a call from its start to its end, a line, and tasks that go or break under the eyes of who looks.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesOf, followNow, placesOf } from '../../../loops/report/follow-now.ts';
import type { NowCall, NowChange, NowTask, RunsNow } from '../../../loops/report/now.ts';
import { registerFolder } from '../../../state/calls/call-register.ts';
import { answerWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

interface Context {
  rig: TestRig;
  stop: AbortController;
  /** Lets go of what is watched. */
  end(): Promise<unknown>;
}

const test = suite<Context>('what runs now');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.stop = new AbortController();
  context.end = async () => undefined;
});
test.after.each(async ({ rig, stop, end }) => {
  stop.abort();
  await end();
  await rig.dispose();
});

/** No look around comes to help, and so many tasks at rest are watched. */
const unaided = (atRest: number) => ({ sweepMs: 3_600_000, atRest });

/** Continues until what is looked for is there; the runner's limit ends what never comes. */
function follow(context: Context, words: readonly string[] = [], bounds?: ReturnType<typeof unaided>) {
  const { rig, stop } = context;
  const environment = { HOME: rig.home };
  const placed = placesOf(words, rig.project, environment);
  if (placed.how === 'invalid') throw new Error(placed.message);
  const { places } = placed;
  const steps = followNow({
    places,
    environment,
    stop: stop.signal,
    clock: () => new Date(),
    ...(bounds === undefined ? {} : { bounds }),
  });
  context.end = () => steps.return(undefined);
  return async (isIt: (now: RunsNow, changes: NowChange[], moved: string[]) => boolean): Promise<RunsNow> => {
    for (;;) {
      const { value, done } = await steps.next();
      if (done) throw new Error('it ended');
      if (isIt(value.now, value.changes, value.moved)) return value.now;
    }
  };
}

const READS = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };
const has = (kind: NowChange['change'], id: string) => (_: RunsNow, changes: NowChange[]) =>
  changes.some(({ change, task_id }) => change === kind && task_id === id);

test('a call: under way, what it says, its end and its tokens', async (context) => {
  const task = makeTask(context.rig, READS);
  const until = follow(context);
  assert.equal((await until(() => true)).totals.never_run, 1);
  const run = task.start();
  const fake = await context.rig.call();
  await until(has('called', 'fix'));
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  const [seen] = (await until(has('said', 'fix'))).tasks;
  const [call] = seen!.running;
  assert.equal([call!.stage, call!.tool, call!.attempt, call!.last], ['codex_review', 'codex', 1, 'asks the model']);
  assert.equal([seen!.state, seen!.waits, seen!.tokens], ['running', null, null]);
  await fake.tell(...answerWith('codex', 'ok'));
  await run.result;
  const now = await until(({ tasks }) => tasks[0]!.state === 'done');
  assert.equal([now.tasks[0]!.tokens, now.tasks[0]!.running, now.totals.done], [18, [], 1]);
});

test('who stands in line, and behind whom', async (context) => {
  const { rig } = context;
  mkdirSync(path.join(rig.project, '.git'));
  const writes = { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER, may_be_empty: true }] };
  const first = makeTask(rig, writes, 'first').start();
  const fake = await rig.call();
  const second = makeTask(rig, writes, 'second').start();
  const until = follow(context);
  const now = await until(({ tasks }) => tasks.some(({ waits }) => waits !== null));
  assert.equal(now.tasks.find(({ task_id }) => task_id === 'second')!.waits, {
    what: 'tree',
    behind: ['first'],
    stage: 'codex_impl',
  });
  await fake.tell(...answerWith('codex', 'ok'));
  await (await rig.call()).tell(...answerWith('codex', 'ok'));
  await Promise.all([first.result, second.result]);
  await until(({ totals }) => totals.running === 0);
});

test('tasks that come, break, are mended and go', async (context) => {
  const { rig } = context;
  const until = follow(context);
  assert.is((await until(() => true)).totals.tasks, 0);
  const { folder } = makeTask(rig, READS, 'late');
  await until(({ totals }) => totals.never_run === 1);
  mkdirSync(path.join(folder, 'state'));
  const journal = path.join(folder, 'state/journal.jsonl');
  writeFileSync(journal, '{"v":99,"at":"2026-01-01T00:00:00.000Z","fact":"done"}\n');
  const broken = await until(has('unreadable', 'late'));
  assert.match(broken.tasks[0]!.message ?? '', /was written by a newer version/);
  rmSync(journal);
  mkdirSync(journal);
  await until((_, changes) =>
    changes.some((each) => each.change === 'unreadable' && /no regular file/.test(each.message)),
  );
  rmSync(journal, { recursive: true });
  await until(({ totals }) => totals.never_run === 1);
  renameSync(folder, path.join(rig.project, 'archived'));
  // It is told once, and then forgotten.
  assert.is((await until(has('gone', 'late'))).totals.tasks, 0);
});

test('a task that is deleted while it is named comes back', async (context) => {
  const { folder } = makeTask(context.rig, READS);
  const until = follow(context, ['fix']);
  await until(() => true);
  rmSync(folder, { recursive: true });
  await until(({ totals }) => totals.gone === 1);
  makeTask(context.rig, READS);
  await until(({ totals }) => totals.never_run === 1);
});

test('a call of a task that nothing watches, by its register', async (context) => {
  const { rig } = context;
  // As it is once the user has made a call.
  mkdirSync(registerFolder({ HOME: rig.home })!, { recursive: true, mode: 0o700 });
  const task = makeTask(rig, READS);
  const until = follow(context, [], unaided(0));
  await until((_, __, moved) => moved.length === 0);
  const run = task.start();
  const fake = await rig.call();
  await until(has('called', 'fix'));
  // From now on it is at work, and watched.
  await fake.tell(...answerWith('codex', 'ok'));
  await run.result;
  await until(({ tasks }) => tasks[0]!.state === 'done');
});

test('of tasks at rest as many are watched as there may be, and each step tells which moved', async (context) => {
  const { rig } = context;
  const tasks = ['a', 'b', 'c', 'd'].map((id) => makeTask(rig, READS, id));
  const first: string[] = [];
  const until = follow(context, [], unaided(2));
  // What was watched for the first time is looked at once more.
  await until((_, __, moved) => {
    first.push(...moved);
    return moved.length === 0;
  });
  const watched = new Set<string>();
  for (const { folder } of tasks) mkdirSync(path.join(folder, 'state'));
  // What a journal is, is not of interest here: it cannot be read.
  for (const { folder } of tasks)
    writeFileSync(path.join(folder, 'state/journal.jsonl'), '{"v":99,"at":"2026-01-01T00:00:00.000Z","fact":"done"}\n');
  const now = await until((_, __, moved) => {
    for (const folder of moved) watched.add(folder);
    return watched.size === 2;
  });
  assert.equal(first.sort(), tasks.map(({ folder }) => folder).sort());
  assert.equal([now.totals.unreadable, now.totals.never_run], [2, 2]);
});

test('a word that names no task is a mistake', ({ rig }) => {
  const placed = placesOf(['none'], rig.project, {});
  assert.match(placed.how === 'invalid' ? placed.message : '', /^there is no task at .*none \(tollgate status lists/);
});

const changesTest = suite('changes between two looks');

const AT = '2026-01-01T00:00:09.000Z';
const CALL: NowCall = {
  call_id: 'c1',
  stage: 'codex_review',
  tool: 'codex',
  stand_ins: [],
  attempt: 1,
  since: '2026-01-01T00:00:00.000Z',
  deadline_at: '2026-01-01T01:00:00.000Z',
  last: null,
  tokens: null,
};
const TASK: NowTask = {
  task_id: 'fix',
  folder: '/p/.tmp/task/fix',
  state: 'never_run',
  since: null,
  running: [],
  waits: null,
  tokens: null,
  calls: { used: 0, budget: null },
  stage: null,
  class: null,
  reason: null,
  message: null,
};
const BUSY: NowTask = { ...TASK, state: 'running', since: CALL.since, running: [CALL] };
const DONE: NowTask = { ...TASK, state: 'done', since: AT };
const BEHIND: NowTask = { ...BUSY, running: [], waits: { what: 'tree', behind: ['other'], stage: 'codex_impl' } };
const LOST: NowTask = { ...TASK, state: 'unreadable', message: 'no journal' };
const GONE: NowTask = { ...TASK, state: 'gone' };

const ROWS: [what: string, before: NowTask | null, after: NowTask, changes: string[]][] = [
  ['a task at rest that is seen first', null, DONE, []],
  ['a task at work that is seen first', null, BUSY, ['began', 'called']],
  ['nothing', BUSY, BUSY, []],
  ['a run that begins', TASK, BUSY, ['began', 'called']],
  ['a word of the CLI', BUSY, { ...BUSY, running: [{ ...CALL, last: 'answers' }] }, ['said']],
  ['tokens alone', BUSY, { ...BUSY, running: [{ ...CALL, tokens: 9 }] }, []],
  ['the next call', BUSY, { ...BUSY, running: [{ ...CALL, call_id: 'c2' }] }, ['call_ended', 'called']],
  ['a place in line', BUSY, BEHIND, ['call_ended', 'waits']],
  ['the same place in line', BEHIND, BEHIND, []],
  ['an end', BUSY, DONE, ['call_ended', 'ended']],
  ['a run between two looks', DONE, { ...DONE, since: '2026-01-01T00:00:10.000Z' }, ['ended']],
  ['what cannot be read', BUSY, LOST, ['unreadable']],
  ['what still cannot be read', LOST, LOST, []],
  ['what is gone', DONE, GONE, ['gone']],
  ['what is still gone', GONE, GONE, []],
];
for (const [what, before, after, changes] of ROWS)
  changesTest(what, () =>
    assert.equal(
      changesOf(before, after, AT).map(({ change }) => change),
      changes,
    ),
  );

test.run();
changesTest.run();
