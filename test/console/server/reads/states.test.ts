// What the console shows of a task at work, of one that failed, of sums with unknown parts, and of answers that no run has taken.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LimitsShown, NowShown, SpentShown } from '../../../../console/contract/overviews.ts';
import type { TaskShown } from '../../../../console/contract/task.ts';
import { awaitEnd, carriedFolder } from '../../../../loops/report/carried-run.ts';
import { actionLine } from '../../../../policies/facts/next-action.ts';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import type { FakeCommand } from '../../../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { ANY_ANSWER, killWithGuardian, makeTask, untilStarted } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const stage = (tool: string, more: object = {}) => ({ tool, role: 'brief', ...ANY_ANSWER, ...more });

const test = suite<{ rig: TestRig; page: ConsoleClient }>('what the console shows of states');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
  world.page = await openConsoleOf(world.rig);
});
test.after.each(async ({ rig, page }) => {
  page.command.signal('SIGTERM');
  await page.command.result;
  await rig.dispose();
});

/** Longer than any test may take. */
const FOREVER_MS = 600_000;

const shown = async <T>(page: ConsoleClient, address: string): Promise<T> => (await page.get(address)).value as T;

test('the stage with a call under way is running, in the report too; the one that failed has failed', async ({
  rig,
  page,
}) => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const hangs: FakeCommand[] = [write(STREAMS.gemini.opens(SESSION)), { do: 'hang' }];
  rig.answer(({ report }) => {
    if (report.tool !== 'gemini') return answerWith('codex', 'Fine.');
    isAsked();
    return hangs;
  });
  const task = makeTask(rig, { stages: [stage('codex'), { ...stage('gemini'), role: 'review' }] });
  const running = task.start();
  await asked;
  const states = async () =>
    (await shown<TaskShown>(page, '/api/tasks/fix')).stages.map(({ stage: name, state }) => [name, state]);
  assert.equal(await states(), [
    ['codex_brief', 'done_earlier'],
    ['gemini_review', 'running'],
  ]);
  assert.equal((await shown<TaskShown>(page, '/api/tasks/fix')).next_actions, []);
  const { stdout } = await rig.run('tollgate', ['report', '--json']);
  const [row] = (JSON.parse(stdout) as { tasks: { stages: { state: string }[] }[] }).tasks;
  assert.equal(
    row!.stages.map(({ state }) => state),
    ['done_earlier', 'running'],
  );
  running.signal('SIGTERM');
  await running.result;
  assert.equal(await states(), [
    ['codex_brief', 'done_earlier'],
    ['gemini_review', 'interrupted_earlier'],
  ]);
  const { next_actions: next } = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.ok(next.some(({ command }) => command === 'tollgate run fix'));
});

test('a call whose run and guardian were killed has no result yet, and is not under way', async ({ rig, page }) => {
  rig.answer(() => [{ do: 'hang' }]);
  const task = makeTask(rig, { stages: [stage('codex')] });
  const running = task.start();
  await untilStarted(task);
  await killWithGuardian(task, running);
  const { state, attempts, stages, failure } = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.equal([state, attempts[0]!.ending, failure], ['interrupted', 'lost', null]);
  assert.is(stages[0]!.state, 'interrupted_earlier');
});

test('a part of a supervision that answered is done; a parked task says how to answer', async ({ rig, page }) => {
  rig.answer(({ report }) =>
    report.tool === REASONER
      ? answerWith(REASONER, JSON.stringify({ action: 'ask', question: 'Which?' }))
      : answerWith('codex', 'read'),
  );
  await superviseTask(rig).supervise();
  const { stages, next_actions } = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.equal(
    stages.map(({ state }) => state),
    ['done_earlier', 'done_earlier'],
  );
  assert.match(next_actions.map(actionLine).join('\n'), /tollgate answer fix/);
});

test('an answer whose run was refused is not asked for again, in any view, and another run takes it', async ({
  rig,
  page,
}) => {
  let asked = 0;
  rig.answer(({ report }) => {
    if (report.tool !== REASONER) return answerWith('codex', 'read');
    asked += 1;
    const said = asked === 1 ? { action: 'ask', question: 'Which?' } : { action: 'done', summary: 'It is done.' };
    return answerWith(REASONER, JSON.stringify(said));
  });
  const task = superviseTask(rig);
  await task.supervise();
  const manifest = task.read('manifest.json');
  const now = () => shown<NowShown>(page, '/api/now');
  assert.equal((await now()).questions, [{ task_id: 'fix', question: 'Which?', worker_said: 'read' }]);
  const stream = await page.stream();
  // A working folder out of the project is refused without --trust-workspace.
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify({ ...JSON.parse(manifest), cwd: '..' }));
  const refused = await page.post('/api/answer', { task: 'fix', answer: 'The left one.' });
  // The reply names the refusal, unless the machine is so slow that the run has not ended yet.
  const reply = JSON.stringify(refused.value);
  assert.match(reply, refused.status === 409 ? 'the answer for fix is stored' : 'fix has the answer, and is at work');
  const [folder, stop] = [carriedFolder(rig.project, rig.env), new AbortController().signal];
  const ended = await awaitEnd({ folder, run: 'run.supervise-fix.1', atMostMs: FOREVER_MS, stop, tick: () => {} });
  assert.match(JSON.stringify(ended), '--trust-workspace');
  type Rows = { lines: { task_id: string }[] };
  const isOfFix = ({ topic, change }: { topic: string; change?: unknown }) =>
    topic === 'tasks' && ((change as Rows | null)?.lines ?? []).some(({ task_id: id }) => id === 'fix');
  while ((await now()).answered.length === 0) await stream.next(isOfFix);
  stream.close();
  const { questions, answered } = await now();
  assert.equal([questions, answered], [[], ['fix']]);
  const { supervisions } = await shown<{ supervisions: { question: string | null; answer_waits: boolean }[] }>(
    page,
    '/api/supervise',
  );
  assert.equal([supervisions[0]!.question, supervisions[0]!.answer_waits], [null, true]);
  for (const command of ['status', 'report']) {
    const { stdout } = await rig.run('tollgate', [command]);
    assert.not.match(stdout, /fix asks:/);
    assert.match(stdout, /fix has an answer that its reasoner has not received: tollgate supervise fix/);
  }
  assert.equal(
    (await shown<TaskShown>(page, '/api/tasks/fix')).next_actions.map(({ command }) => command),
    ['tollgate supervise fix'],
  );
  rig.write('.tmp/task/fix/manifest.json', manifest);
  assert.is((await task.supervise()).code, 0);
  assert.ok(task.prompts(REASONER).at(-1)!.includes('The left one.'));
});

test('what the answer of a finished task lacks is in the list and in the view of the task', async ({ rig, page }) => {
  const text = "Error during discovery for MCP server 'tickets': spawn /no/such/program ENOENT\n";
  rig.answer(() => [{ do: 'write', to: 'stderr', text }, ...answerWith('gemini', 'Fine.')]);
  await makeTask(rig, { stages: [stage('gemini')] }).run();
  const { state, lacks } = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.equal([state, lacks.length], ['done', 1]);
  assert.match(lacks[0]!, /^gemini_brief: MCP server "tickets" failed.*; the agent worked without it$/);
  const { tasks } = await shown<{ tasks: { why: string | null }[] }>(page, '/api/tasks');
  assert.equal(
    tasks.map(({ why }) => why),
    lacks,
  );
});

test('a sum says how many calls it lacks', async ({ rig, page }) => {
  rig.answer(({ report }) => answerWith(report.tool, 'Fine.'));
  await makeTask(rig, { stages: [stage('claude'), { ...stage('codex'), role: 'review' }] }).run();
  const task = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.equal([task.usd, task.unknown], [0.0002, { tokens: 0, usd: 1 }]);
  const { days } = await shown<SpentShown>(page, '/api/spent');
  const { claude, codex } = days.at(-1)!.by_tool;
  assert.equal([claude!.calls_without_price, codex!.calls_without_price], [0, 1]);
  const { tasks } = await shown<{ tasks: { usd: number; calls_without_price: number }[] }>(page, '/api/tasks');
  assert.equal([tasks[0]!.usd, tasks[0]!.calls_without_price], [0.0002, 1]);
});

test('a budget says since when it counts, and of how many calls the price is unknown', async ({ rig, page }) => {
  rig.answer(() => answerWith('codex', 'Fine.'));
  const run = async (id: string) => makeTask(rig, { stages: [stage('codex')] }, id).run();
  await run('before');
  const began = new Date().toISOString();
  await rig.run('tollgate', ['budget', '--set', '100', '--per', 'month']);
  await rig.run('tollgate', ['budget', '--set', '5', '--per', 'month', '--of', 'usd']);
  await run('after');
  const { budgets } = await shown<LimitsShown>(page, '/api/budgets');
  const [calls, money] = budgets;
  assert.equal([calls!.used, calls!.unknown_calls, money!.used, money!.unknown_calls], [1, 0, 0, 1]);
  for (const { counted_since: since } of budgets) assert.ok(since !== null && since >= began, String(since));
  const { stdout } = await rig.run('tollgate', ['budget']);
  assert.match(stdout, /1 of 100 calls a month.*; calls before \S+ are not all counted, since no limit was set/);
  assert.match(stdout, /\$0 of \$5 a month.*1 call more with unknown price/);
});

test('a signature is shown whole, wherever a text of the task has it', async ({ rig, page }) => {
  rig.answer(() => failWith('codex', 'invalid api key', 401));
  const task = makeTask(rig, { stages: [stage('codex')] });
  await task.run();
  const { signature } = task.failure()!;
  const { summary, texts } = await shown<TaskShown>(page, '/api/tasks/fix');
  assert.ok(summary!.includes(`Signature: ${signature}`), summary!);
  assert.not.match(summary!, /REDACTED/);
  for (const { name, what } of texts.filter(({ what }) => what === 'record')) {
    const { text } = await shown<{ text: string }>(page, `/api/tasks/fix/texts/${encodeURIComponent(name)}`);
    assert.is(text, readFileSync(path.join(task.folder, name), 'utf8'), `${name} (${what})`);
  }
});

test('the hint to store a tree names a field that a manifest takes', async ({ rig, page }) => {
  assert.is(spawnSync('git', ['init', '-q'], { cwd: rig.project }).status, 0);
  rig.answer(() => answerWith('codex', 'Fine.'));
  await makeTask(rig, { stages: [stage('codex')] }).run();
  const { notes } = await shown<{ notes: string[] }>(page, '/api/tasks/fix/diff/*');
  const [, field] = /`(\w+): \{since: start\}`/.exec(notes.join('\n')) ?? [];
  assert.is(field, 'diff');
  await makeTask(rig, { stages: [stage('codex', { [field!]: { since: 'start' } })] }, 'kept').run();
  assert.equal((await shown<{ notes: string[] }>(page, '/api/tasks/kept/diff/*')).notes, []);
});

test.run();
