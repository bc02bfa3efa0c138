// The index of a report: it says what the files say, never what they said, and nothing once it is damaged.

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectTasks } from '../../../loops/report/collect.ts';

/** Enough for an index, also when one is gone. */
const TASKS = 505;
const LATER_MS = 3_600_000;

const test = suite<{ root: string }>('the index of a report');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'index-'));
  for (let n = 0; n < TASKS; n += 1) {
    mkdirSync(path.join(context.root, `task/t${n}/state`), { recursive: true });
    released(context.root, n, 'done');
  }
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

const released = (root: string, n: number, state: string): void =>
  appendFileSync(
    path.join(root, `task/t${n}/state/journal.jsonl`),
    `${JSON.stringify({ v: 1, at: '2026-11-22T00:00:00.000Z', fact: 'released', run_id: `r-${state}`, exit_code: 0, state })}\n`,
  );

/** By a clock that is past the time in which a file counts as one that is being changed. */
async function seen(root: string, which: 'all' | 'failed' = 'all') {
  const collected = await collectTasks({
    word: path.join(root, 'task'),
    cwd: root,
    environment: { XDG_STATE_HOME: path.join(root, 'own') },
    sinceMs: null,
    which,
    stages: 'left_out',
    now: new Date(Date.now() + LATER_MS),
  });
  if (collected.how === 'invalid') throw new Error(collected.message);
  const { totals, tasks } = collected.report;
  return { done: totals.done, failed: totals.failed, parked: totals.parked, tasks };
}

const indexOf = (root: string): string => {
  const folder = path.join(root, 'own/tollgate/reports');
  return path.join(folder, readdirSync(folder)[0]!);
};

test('what it gives is what the files give, whatever was asked before', async ({ root }) => {
  const few = await seen(root, 'failed');
  const all = await seen(root);
  assert.equal([few.done, few.tasks.length, all.done, all.tasks.length], [TASKS, 0, TASKS, TASKS]);
  assert.equal(await seen(root), all);
});

test('a journal that goes on, a failure that is there and a task that is gone are seen', async ({ root }) => {
  await seen(root);
  released(root, 7, 'failed');
  writeFileSync(path.join(root, 'task/t8/state/last_failure.json'), 'no JSON');
  rmSync(path.join(root, 'task/t9'), { recursive: true });
  const { done, failed, tasks } = await seen(root);
  assert.equal([done, failed, tasks.length], [TASKS - 2, 1, TASKS - 1]);
});

test('a failure that is edited in its place is seen', async ({ root }) => {
  const file = path.join(root, 'task/t8/state/last_failure.json');
  released(root, 8, 'failed');
  writeFileSync(file, JSON.stringify({ class: 'quota', next_actions: ['wait'] }));
  const before = await seen(root);
  writeFileSync(file, JSON.stringify({ class: 'auth', next_actions: ['wait'] }));
  const after = await seen(root);
  const classes = [before, after].map(({ tasks }) => tasks.find(({ task_id }) => task_id === 't8')?.class);
  assert.equal(classes, ['quota', 'auth']);
});

test('it is gone by where it is whole, and made anew where it is damaged', async ({ root }) => {
  await seen(root);
  const [head, ...body] = readFileSync(indexOf(root), 'utf8').split('\n');
  const other = body.join('\n').replaceAll('\tdone ', '\tparked ');
  const hash = createHash('sha256').update(other).digest('hex');
  writeFileSync(indexOf(root), `${head!.replace(/\S+$/, hash)}\n${other}`);
  assert.is((await seen(root)).parked, TASKS);
  writeFileSync(indexOf(root), `${head}\n${other}`);
  assert.is((await seen(root)).done, TASKS);
  assert.is((await seen(root)).done, TASKS);
});

test('in the place of the index may stand anything', async ({ root }) => {
  await seen(root);
  const place = indexOf(root);
  rmSync(place);
  mkdirSync(place);
  assert.is((await seen(root)).done, TASKS);
});

test('where no index can be written the report is the same, also when it is gathered for a long time', async ({
  root,
}) => {
  writeFileSync(path.join(root, 'own'), 'a file where the folder would be');
  for (const n of [3, 4]) {
    released(root, n, 'failed');
    const evidence = { text: 'x'.repeat(1_200_000) };
    const failure = { class: 'quota', next_actions: ['wait'], evidence };
    writeFileSync(path.join(root, `task/t${n}/state/last_failure.json`), JSON.stringify(failure));
  }
  const { done, failed, tasks } = await seen(root);
  assert.equal([done, failed, tasks.length], [TASKS - 2, 2, TASKS]);
});

test.run();
