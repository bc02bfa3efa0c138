// What the console tells of a project in which real runs have succeeded, failed and continue: each address once, and what is not there.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchShown } from '../../../../console/contract/overviews.ts';
import type { TaskLine } from '../../../../console/contract/page.ts';
import type { SessionLine } from '../../../../console/contract/sessions.ts';
import type { TaskShown } from '../../../../console/contract/task.ts';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import { SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn } from '../../../rig/session-run.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const EVIL = '<script>alert(1)</script>\u202e\u001b[2J & "quoted"';
const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
const STAGE = { tool: 'codex', role: 'brief', ...ANY_ANSWER };

const test = suite<{ rig: TestRig; page: ConsoleClient }>('what the console tells');
test.before(async (world) => {
  const rig = await TestRig.open();
  world.rig = rig;
  rig.answer(({ report }) =>
    report.stdin.text.includes('goes wrong')
      ? failWith('codex', `invalid api key ${EVIL}`, 401)
      : answerWith('codex', EVIL),
  );
  await makeTask(rig, { goal: EVIL, stages: [STAGE] }, 'good').run();
  await makeTask(rig, { goal: 'This goes wrong.', stages: [STAGE] }, 'bad').run();
  makeTask(rig, { goal: `${'word '.repeat(56)}${TOKEN}`, stages: [STAGE] }, 'new');
  rig.write('.tmp/task/broken/manifest.json', '{}');
  mkdirSync(path.join(rig.project, '.tmp/task/broken/state/journal.jsonl'), { recursive: true });
  world.page = await openConsoleOf(rig);
});
test.after(async ({ rig, page }) => {
  page.command.signal('SIGTERM');
  assert.is((await page.command.result).code, 143);
  await rig.dispose();
});

test('the list of tasks, with goals, states and failures', async ({ page }) => {
  const stream = await page.stream();
  let { tasks } = (await page.get('/api/tasks')).value as { tasks: TaskLine[] };
  assert.equal(tasks.map(({ task_id, state, class: errorClass }) => [task_id, state, errorClass]).sort(), [
    ['bad', 'failed', 'auth'],
    ['broken', 'unreadable', null],
    ['good', 'done', null],
    ['new', 'never_run', null],
  ]);
  // Goals and money are looked up behind the first answer.
  const isTold = () => tasks.find(({ task_id }) => task_id === 'bad')?.goal !== null;
  if (!isTold()) await stream.next(({ topic }) => topic === 'tasks');
  ({ tasks } = (await page.get('/api/tasks')).value as { tasks: TaskLine[] });
  assert.is(tasks.find(({ task_id }) => task_id === 'bad')!.goal, 'This goes wrong.');
  // What the next run of each calls: of a task that is done, all of it again.
  while (tasks.some(({ next_run: run, state }) => run === null && state !== 'unreadable'))
    ({ tasks } = (await page.get('/api/tasks')).value as { tasks: TaskLine[] });
  const once = { tools: ['codex'], is_open: false, most: 3 };
  assert.equal(tasks.map(({ task_id, next_run, calls }) => [task_id, next_run, calls.budget]).sort(), [
    ['bad', once, 10],
    ['broken', null, null],
    ['good', once, 10],
    ['new', once, 10],
  ]);
  // Of a secret not even the part that fits into a short goal.
  assert.ok(tasks.find(({ task_id }) => task_id === 'new')!.goal!.startsWith('word word'));
  assert.not.ok(JSON.stringify(tasks).includes(TOKEN.slice(0, 8)));
  assert.not.ok((await page.get('/api/tasks/new')).text.includes(TOKEN.slice(0, 8)));
  stream.close();
});

test('a task that never ran tells what its manifest asks for', async ({ page }) => {
  const asksOf = async (id: string) => ((await page.get(`/api/tasks/${id}`)).value as TaskShown).asks;
  assert.equal(await asksOf('new'), {
    ...{ commands: [], criteria: [], allow: [], deny: [], only_reads: true },
    limits: { calls: 10, usd: null, wallclock_sec: null },
  });
  assert.is(await asksOf('good'), null);
});

test('one task: stages, attempts with their decisions, summary and texts', async ({ page }) => {
  const task = (await page.get('/api/tasks/bad')).value as TaskShown;
  const [attempt] = task.attempts;
  assert.equal([task.state, task.calls.used, task.attempts.length], ['failed', 1, 1]);
  assert.equal([attempt!.stage, attempt!.class, attempt!.ending], ['codex_brief', 'auth', 'exited']);
  assert.is(attempt!.decision?.action, 'stop');
  assert.equal(
    task.stages.map(({ stage, state, attempts }) => [stage, state, attempts]),
    [['codex_brief', 'failed_earlier', 1]],
  );
  assert.ok(task.summary!.includes('auth') && task.next_actions.length > 0);
  const kinds = new Set(task.texts.map(({ what }) => what));
  assert.ok(kinds.has('prompt') && kinds.has('stderr') && kinds.has('record'));
});

test('a text of a model comes as the text that it is, whatever is in it', async ({ page }) => {
  const name = 'outputs/codex_brief.codex.out';
  const { value, headers } = await page.get(`/api/tasks/good/texts/${encodeURIComponent(name)}`);
  assert.equal([value.text.trim(), value.cut], [EVIL, 0]);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.match(String(headers['content-security-policy']), /default-src 'none'/);
});

test('only what is published of a task is shown', async ({ page }) => {
  for (const name of [
    'state/journal.jsonl',
    'manifest.json',
    '../bad/manifest.json',
    '/etc/passwd',
    'outputs/../manifest.json',
  ])
    assert.is((await page.get(`/api/tasks/good/texts/${encodeURIComponent(name)}`)).status, 404, name);
});

test('why it failed, or that it did not; its diff, or why there is none', async ({ page }) => {
  const { explanation } = (await page.get('/api/tasks/bad/explain')).value;
  assert.equal([explanation.class, explanation.stage], ['auth', 'codex_brief']);
  assert.ok(explanation.rule.id !== null);
  assert.is((await page.get('/api/tasks/good/explain')).value.explanation, null);
  assert.equal((await page.get('/api/tasks/good/diff/*')).value.text, '');
});

test('failures by signature, with their evidence', async ({ page }) => {
  const { groups } = (await page.get('/api/failures')).value;
  assert.equal([groups.length, groups[0].task_ids, groups[0].class, groups[0].tools], [1, ['bad'], 'auth', ['codex']]);
  const days = groups[0].trend.map(({ tasks }: { tasks: number }) => tasks);
  assert.equal(days, [...Array(13).fill(0), 1]);
});

test('budgets, money by day, sessions, health, books and the machine', async ({ page, rig }) => {
  const id = SESSION_IDS.codex;
  makeIn(rig, 'codex', [{ prompt: 'one', answer: EVIL }]);
  assert.equal((await page.get('/api/budgets')).value.holds, []);
  const { tools, days } = (await page.get('/api/spent')).value;
  assert.equal([tools, days.length, days.at(-1).by_tool.codex.calls], [['codex'], 1, 2]);
  const lines = (await page.get('/api/sessions')).value.sessions as SessionLine[];
  assert.equal(lines.find(({ tag }) => tag === 'good')?.made_by, { task_id: 'good', stage: 'codex_brief' });
  const conversation = (await page.get(`/api/sessions/${id}`)).value;
  assert.equal(
    [conversation.all, conversation.turns[0].items.at(-1).text, conversation.health.flawed_turns],
    [1, EVIL, []],
  );
  assert.is((await page.get('/api/health')).value.unreadable, 0);
  assert.equal((await page.get('/api/distill')).value, { distillations: [] });
  const { clis } = (await page.get('/api/machine')).value;
  assert.ok(clis.every(({ path: found }: { path: string | null }) => found !== null));
  rig.uninstall('copilot');
  const without = (await page.get('/api/machine')).value;
  assert.is(without.clis.find(({ tool }: { tool: string }) => tool === 'copilot').path, null);
  assert.ok(without.findings.some(({ check }: { check: string }) => /copilot/.test(check)));
});

test('a batch whose pause failed further tasks has one cause, and no note that repeats it', async ({ page, rig }) => {
  const stages = [{ stage: 'codex_brief', tool: 'codex' }];
  const row = (task_id: string, reason: string) => ({
    task_id,
    class: 'auth',
    reason,
    failed_stage: 'codex_brief',
    stages,
  });
  const group = (reason: string, ids: string[]) => ({
    ...{ signature: null, class: 'auth', reason, message: null, retry_at: null },
    ...{ count: ids.length, task_ids: ids, next_actions: [] },
  });
  const report = {
    ...{ schema: 1, batch_id: '20261125020304-0a1b2c3d', state: 'failed', totals: {}, next_actions: [] },
    tasks: [row('first', 'bad_key'), row('second', 'paused'), row('third', 'paused')],
    by_failure: [group('paused', ['second', 'third']), group('bad_key', ['first'])],
    notes: ['the sign-in of codex was refused (bad_key); it is not called again in this batch', 'another note'],
    files: { report: 'report.json', summary: '_summary.md', left: null },
  };
  rig.write('.tmp/batch/20261125020304-0a1b2c3d/report.json', JSON.stringify(report));
  const { failures, notes } = (await page.get('/api/batch/20261125020304-0a1b2c3d')).value as BatchShown;
  assert.equal(
    failures.map(({ reason, count, task_ids }) => [reason, count, task_ids]),
    [['bad_key', 3, ['first', 'second', 'third']]],
  );
  assert.equal(notes, ['another note']);
});

test('what is not there is said to be so, with the way out', async ({ page }) => {
  const gone = await page.get('/api/tasks/none');
  assert.equal([gone.status, gone.value.way_out], [404, 'the view Tasks lists all tasks']);
  for (const address of [
    '/api/tasks/a%2Fb',
    '/api/sessions/00000000-0000-4000-8000-000000000000',
    '/api/distill/none',
    '/api/distill/none/export.pdf',
    '/api/distill/none/export.exe',
    '/api/none',
    '/favicon.ico',
  ])
    assert.is((await page.get(address)).status, 404, address);
  const broken = await page.get('/api/tasks/broken');
  assert.ok(broken.status >= 400 && broken.value.message.length > 10, broken.text);
});

const isOf = (id: string, state: string) => (told: { topic: string; change?: unknown }) =>
  told.topic === 'tasks' &&
  (told.change as { lines: TaskLine[] }).lines.some((line) => line.task_id === id && line.state === state);

test('a call under way is told at once, with what its CLI does; then its end, and that the task is gone', async ({
  rig,
  page,
}) => {
  const stream = await page.stream();
  rig.answer(() => []);
  const running = makeTask(rig, { stages: [STAGE] }, 'live').start();
  const call = await rig.call();
  await call.tell(write(STREAMS.codex.opens(SESSION)));
  await stream.next(isOf('live', 'running'));
  const { tasks, totals } = (await page.get('/api/now')).value;
  assert.equal([tasks[0].task_id, tasks[0].running[0]?.tool ?? 'codex', totals.running], ['live', 'codex', 1]);
  await call.tell(...answerWith('codex', 'ok'));
  await running.result;
  await stream.next(isOf('live', 'done'));
  const folder = path.join(rig.project, '.tmp/task/live');
  renameSync(folder, path.join(rig.root, 'archived'));
  await stream.next(({ topic, change }) => topic === 'tasks' && (change as { gone: string[] }).gone.includes('live'));
  assert.is((await page.get('/api/tasks/live')).status, 404);
  stream.close();
});

test('a supervised task that asks stands among the questions', async ({ rig, page }) => {
  const stream = await page.stream();
  rig.answer(({ report }) =>
    report.tool === REASONER
      ? answerWith(REASONER, JSON.stringify({ action: 'ask', question: `Which? ${EVIL}` }))
      : answerWith('codex', 'done'),
  );
  await superviseTask(rig, {}, 'asks').supervise();
  await stream.next(isOf('asks', 'parked'));
  const { supervisions } = (await page.get('/api/supervise')).value;
  assert.equal(
    supervisions.map(({ task_id, state }: { task_id: string; state: string }) => [task_id, state]),
    [['asks', 'parked']],
  );
  const { questions } = (await page.get('/api/now')).value;
  assert.equal(
    questions.map(({ task_id }: { task_id: string }) => task_id),
    ['asks'],
  );
  stream.close();
});

test('a folder of tasks that is deleted while it is shown', async ({ rig, page }) => {
  rmSync(path.join(rig.project, '.tmp/task'), { recursive: true });
  const stream = await page.stream();
  const { tasks } = (await page.get('/api/tasks')).value;
  if (tasks.length > 0) await stream.next(({ topic }) => topic === 'tasks');
  assert.is((await page.get('/api/tasks/good')).status, 404);
  writeFileSync(path.join(rig.project, '.tmp/task'), 'a file');
  assert.is((await page.get('/api/now')).status, 200);
  assert.ok(existsSync(path.join(rig.project, '.tmp/task')));
  stream.close();
});

test.run();
