// Runs after runs: what was paid is used, what is to be redone counts as open, and hand-made state jams nothing.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../state/journal/ledger.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('rerun');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const FIRST = 'outputs/codex_brief.codex.out';

test('tollgate works through the link that npm makes to it', async ({ rig }) => {
  rig.install('codex', { script: [...answerWith('codex', 'ok')] as never });
  const task = makeTask(rig, ONE);
  const link = path.join(rig.root, 'tollgate');
  symlinkSync(path.resolve('dist/tollgate.cjs'), link);
  const { status, stderr } = spawnSync(link, ['run', 'fix'], { cwd: rig.project, env: rig.env, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  assert.is(task.read(FIRST), 'ok');
});

for (const [what, put] of [
  ['a folder', (file: string) => mkdirSync(path.join(file, 'x'), { recursive: true })],
  ['nothing', () => {}],
  ['half of it', (file: string) => writeFileSync(file, '{"call_id":')],
] as const)
  test(`an answer that failed its gate is not asked for again with ${what} in the place of its record`, async ({
    rig,
  }) => {
    rig.answer(() => answerWith('codex', 'short'));
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', requires: [], min_lines: 5 }] });
    assert.is((await task.run()).code, 1);
    const record = path.join(task.folder, 'outputs/codex_brief.codex.call.json');
    rmSync(record);
    put(record);
    writeFileSync(path.join(task.folder, FIRST), '1\n2\n3\n4\n5\n');
    assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
  });

test('a --redo that fails leaves the stage open, not done without its answer', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'first'));
  const task = makeTask(rig, ONE);
  await task.run();
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  assert.is((await task.run('--redo=codex_brief')).code, 1);
  assert.not(existsSync(path.join(task.folder, 'done/codex_brief.done')));
  rig.answer(() => answerWith('codex', 'second'));
  assert.is((await task.run()).code, 0);
  assert.is(task.read(FIRST), 'second');
});

test('a marker that a killed run did not write is written by the next; what it did not remove is removed', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', 'first'));
  const task = makeTask(rig, ONE);
  await task.run();
  const marker = path.join(task.folder, 'done/codex_brief.done');
  const text = readFileSync(marker, 'utf8');
  for (const harm of [() => rmSync(marker), () => writeFileSync(marker, text.slice(0, 9))]) {
    harm();
    assert.equal([(await task.run()).code, readFileSync(marker, 'utf8'), rig.calls.length], [0, text, 1]);
  }
  // Killed between the two, a redo leaves this.
  task.journal.append({ fact: 'reopened', stage: 'codex_brief' });
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  assert.equal([(await task.run('--redo=codex_brief')).code, existsSync(marker)], [1, false]);
});

test('a redo whose guardian dies at once does not take the old answer for its own', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'old'));
  const task = makeTask(rig, ONE);
  await task.run();
  rig.answer(() => [{ do: 'hang' }]);
  const running = task.start('--redo=codex_brief');
  await waitWhile(() => rig.calls.length < 2);
  const [call] = openCalls(task.journal.read().ledger);
  process.kill(rig.calls[1]!.report.pid, 'SIGKILL');
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  assert.is((await running.result).code, 1);
});

test('a prompt that is asked, changed and changed back is paid once for each text', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  await task.run();
  rig.write('.tmp/task/fix/inputs/user_request.md', 'other');
  await task.run('--redo=codex_brief');
  assert.is(rig.calls.length, 2);
  assert.is((await task.run()).code, 0);
  assert.is(rig.calls.length, 2);
});

test('lines in the journal that are no facts are counted, and jam nothing', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  mkdirSync(path.join(task.folder, 'state'));
  const lines = [
    '{"v":1,"fact":"claimed","run_id":"a"}',
    '{"v":1,"fact":"reserved"}',
    '{"v":1,"fact":"reset"}',
    '{"v":1,"fact":"reset","used":-1000,"at_offset":0}',
    '{"v":1,"fact":"no_such"}',
    '[1,2]',
  ];
  for (const line of lines) appendFileSync(task.journal.file, `${line}\n`);
  const { code, report, summary } = await task.run();
  assert.equal([code, report.budget.used], [0, 1]);
  assert.match(summary, `the journal has ${lines.length} unreadable lines`);
});

test('a --redo that no call remains for names how to keep the answer', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 1 } });
  assert.is((await task.run()).code, 0);
  const { code, report } = await task.run('--redo=codex_brief');
  const [first] = report.next_actions;
  assert.equal(
    [code, report.failure?.reason, first!.command, first!.pays],
    [1, 'budget', 'tollgate run fix --keep codex_brief', false],
  );
  const refused = await task.outcome('--recheck');
  assert.match(refused.stderr, 'tollgate run fix --keep codex_brief');
  assert.equal([(await task.run('--keep=codex_brief')).code, (await task.run()).code, rig.calls.length], [0, 0, 1]);
});

test('a budget that was set before the first run is not undone by the manifest', async ({ rig }) => {
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 5 } });
  assert.is((await rig.run('tollgate', ['budget', 'fix', '--set', '0'])).code, 0);
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.reason, report.budget.total], [1, 0, 'budget', 0]);
});

test('an input that is there and cannot be read costs nothing', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  mkdirSync(path.join(task.folder, 'inputs/user_request.md'), { recursive: true });
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, /user_request\.md cannot be read \(EISDIR\)/);
});

test('a field of another CLI is named by the run and by its dry run; an effort that the CLI lacks is refused', async ({
  rig,
}) => {
  rig.answer(() => answerWith('gemini', 'ok'));
  const stage = (more: object) => ({ stages: [{ ...ONE.stages[0], ...more }] });
  const task = makeTask(rig, stage({ tool: 'gemini', effort: 'low' }));
  const note = 'fields without effect: stages[].effort (only codex and claude take it)';
  assert.match((await rig.run('tollgate', ['run', 'fix', '--dry-run'])).stdout, note);
  assert.match((await task.run()).summary, note);
  makeTask(rig, stage({ tool: 'claude', effort: 'max' }));
  assert.match((await rig.run('tollgate', ['run', 'fix', '--dry-run'])).stdout, '--effort max');
  makeTask(rig, stage({ tool: 'codex', effort: 'max' }));
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.is(code, 2);
  assert.match(stderr, /manifest\.json:1: stages\[0\]\.effort of codex must be one of low, medium, high, xhigh$/m);
});

test('what is published keeps the task’s own patterns out, and the CLI sees of the environment what the manifest allows', async ({
  rig,
}) => {
  Object.assign(rig.env, { SECRET_ONE: 'x', ALLOWED: 'y' });
  rig.answer(() => [
    { do: 'write', to: 'stderr', text: 'customer ACME-4711 is angry\n' },
    ...answerWith('codex', 'ok'),
  ]);
  const task = makeTask(rig, { ...ONE, security: { redaction_patterns: ['ACME-\\d+'], env_allow: ['ALLOWED'] } });
  await task.run();
  assert.match(task.read('outputs/codex_brief.codex.err'), /customer .* is angry/);
  assert.not(task.read('outputs/codex_brief.codex.err').includes('ACME-4711'));
  const { env } = rig.calls[0]!.report;
  assert.equal([env.SECRET_ONE, env.ALLOWED], [undefined, 'y']);
});

test.run();
