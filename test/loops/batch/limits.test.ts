// The ends of a batch before its tasks': a refused sign-in, a first failure, the time; and the code that it exits with.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBatch } from '../../../loops/batch/batch.ts';
import type { BatchReport } from '../../../loops/batch/report.ts';
import { CLASSES, EXIT_BUDGET } from '../../../policies/facts/classes.ts';
import { EXIT_ORDER } from '../../../policies/facts/exit-codes.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { shellWord } from '../../../policies/text/display.ts';
import { contextIn, OPTIONS } from '../../rig/run-settings.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('ends of a batch');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const LOOK = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };
const ASK = { stages: [{ tool: 'gemini', role: 'review', ...ANY_ANSWER }] };
const FIRST_OURS = {
  stages: [
    { tool: 'codex', role: 'review', ...ANY_ANSWER },
    { tool: 'gemini', role: 'review', ...ANY_ANSWER },
  ],
};
const SIGN_IN = 'unexpected status 401 Unauthorized';

async function batch(rig: TestRig, ids: readonly string[], ...flags: string[]) {
  const { code, stdout } = await rig.run('tollgate', ['batch', ...ids, '--json', ...flags]);
  return { code, report: JSON.parse(stdout) as BatchReport };
}

const states = ({ tasks }: BatchReport) => tasks.map(({ task_id, state, reason }) => [task_id, state, reason]);
const countOf = (rig: TestRig, tool: string) => rig.calls.filter(({ report }) => report.tool === tool).length;

test('a refused sign-in stops its tool for the others, later stages too, until the batch is run again', async ({
  rig,
}) => {
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? failWith('gemini', 'API key not valid. Please pass a valid API key.', 400)
      : answerWith('codex', 'done'),
  );
  for (const id of ['g1', 'g2', 'c1']) makeTask(rig, id === 'c1' ? LOOK : ASK, id);
  makeTask(rig, FIRST_OURS, 'both');
  const { code, report } = await batch(rig, ['g1', 'g2', 'c1', 'both'], '--concurrency=1');
  assert.is(code, 1);
  // Which of the two asks first is not assured.
  const [asked, held] = report.tasks[0]!.reason === 'bad_key' ? ['g1', 'g2'] : ['g2', 'g1'];
  assert.equal(
    new Map(states(report).map(([id, ...how]) => [id, how])),
    new Map([
      [asked, ['failed', 'bad_key']],
      [held, ['failed', 'paused']],
      ['c1', ['done', null]],
      ['both', ['failed', 'paused']],
    ]),
  );
  assert.equal([countOf(rig, 'gemini'), countOf(rig, 'codex')], [1, 2]);
  assert.equal(report.notes, ['the sign-in of gemini was refused (bad_key); it is not called again in this batch']);
  assert.equal(report.next_actions.map(actionLine), [
    'see how to sign in again: `tollgate preflight --tools gemini`',
    `run the 3 unfinished tasks again; finished stages are not paid twice: \`tollgate batch --from ${shellWord(report.files.left!)} --concurrency 1\``,
  ]);
  const failure = JSON.parse(readFileSync(path.join(rig.project, `.tmp/task/${held}/state/last_failure.json`), 'utf8'));
  assert.equal(
    [failure.class, failure.reason, failure.decision.why, failure.next_actions[0].text],
    ['auth', 'paused', report.notes[0], 'start `gemini` and sign in, or set GEMINI_API_KEY'],
  );
  rig.answer(({ report: { tool } }) => answerWith(tool, 'done'));
  const again = await batch(rig, [], `--from=${report.files.left}`);
  assert.equal([again.code, again.report.totals.done, again.report.notes], [0, 3, []]);
});

test('--fail-fast: after the first failure no task is begun, and none pays that had only waited', async ({ rig }) => {
  const ids = ['a', 'b', 'c', 'd'];
  // Its gate fails: the call itself had gone well.
  rig.answer(() => answerWith('codex', 'no section that was asked for'));
  for (const id of ids) makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] }, id);
  const { code, report } = await batch(rig, ids, '--concurrency=1', '--fail-fast');
  const { done, failed, not_started } = report.totals;
  assert.equal([code, report.state, done, failed, not_started, rig.calls.length], [1, 'failed', 0, 1, 3, 1]);
  const { task_id } = report.tasks.find(({ state }) => state === 'failed')!;
  assert.equal(report.notes, [
    `--fail-fast: after ${task_id} had failed, 3 tasks were not begun, and those at work were let end`,
  ]);
  assert.is(readFileSync(report.files.left!, 'utf8'), 'a\nb\nc\nd\n');
  assert.match(report.next_actions[0]!.command!, /^tollgate batch --from .+ --concurrency 1 --fail-fast$/);
  assert.match(readFileSync(report.files.summary, 'utf8'), `Note: ${report.notes[0]}\n`);
});

test('--fail-fast: what is at work when another fails comes to its end', async ({ rig }) => {
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) makeTask(rig, LOOK, id);
  const running = rig.start('tollgate', ['batch', ...ids, '--json', '--concurrency=2', '--fail-fast']);
  const [first, second] = [await rig.call(), await rig.call()];
  await first.tell(...failWith('codex', 'The model `gpt-9` does not exist or you do not have access to it.', 404));
  await running.says(/: failed at codex_review: The requested model does not exist.* \[1 of 4\]/);
  await second.tell(...answerWith('codex', 'done'));
  const { totals } = JSON.parse((await running.result).stdout) as BatchReport;
  assert.equal([totals.done, totals.failed, totals.not_started, rig.calls.length], [1, 1, 2, 2]);
});

test('--max-minutes: what runs is told to stop and leaves its records, the others are not begun', async ({ rig }) => {
  const ids = ['a', 'b', 'c', 'd'];
  const tasks = ids.map((id) => makeTask(rig, LOOK, id));
  const waits: number[] = [];
  const ran = await runBatch({
    ...requestOf(rig),
    words: ids,
    concurrency: 1,
    maxMinutes: 3,
    context: {
      ...requestOf(rig).context,
      // Its time is over once the first call is made.
      pause: async (ms) => {
        waits.push(ms);
        await rig.call();
      },
    },
  });
  assert.is(ran.how, 'ran');
  if (ran.how !== 'ran') return;
  const { report } = ran;
  assert.equal([report.state, report.exit_code, waits], ['failed', 1, [180_000]]);
  assert.equal([report.totals.interrupted, report.totals.not_started, report.totals.calls], [2, 2, 1]);
  assert.is(
    report.notes[0],
    'the 3 min of --max-minutes were over: running tasks were stopped, 2 tasks were not begun',
  );
  assert.is(tasks[0]!.failure()?.evidence?.text, 'stopped by the time limit of its batch; run it again to continue');
  assert.ok(existsSync(report.files.left!));
  assert.equal(rig.survivors(), []);
});

test('a batch that is done in time is done', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  makeTask(rig, LOOK, 'a');
  const { code, report } = await batch(rig, ['a'], '--max-minutes=1', '--fail-fast', '--exit-by-class');
  assert.equal([code, report.notes, report.next_actions.map(actionLine)], [0, [], [`read ${report.files.summary}`]]);
});

test('--exit-by-class: the code of the failure that comes first', async ({ rig }) => {
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? failWith('gemini', 'You exceeded your current quota, please check your plan and billing details.', 429)
      : failWith('codex', SIGN_IN, 401),
  );
  makeTask(rig, ASK, 'quota');
  makeTask(rig, LOOK, 'auth');
  // Of another CLI: which of two tasks asks first is not assured, and a quota that is used up holds back whatever asks the same CLI after it.
  makeTask(rig, { ...LOOK, budgets: { paid_call_budget: 0 } }, 'budget');
  const exitOf = async (ids: string[]) => (await batch(rig, ids, '--exit-by-class', '--concurrency=1')).code;
  assert.equal([await exitOf(['quota', 'auth', 'budget']), await exitOf(['budget', 'quota'])], [77, 76]);
  assert.is(await exitOf(['quota']), 75);
  assert.is((await batch(rig, ['quota'])).code, 1);
});

test('every code of a class has its place in the order', () => {
  const codes = Object.values(CLASSES).flatMap(({ exitByClass }) => exitByClass ?? []);
  assert.equal([...EXIT_ORDER].sort(), [...new Set([...codes, EXIT_BUDGET])].sort());
});

const MISTAKES: [flag: string, says: string][] = [
  ['--max-minutes=0', '--max-minutes takes a whole number from 1, not "0"'],
  ['--max-minutes=1.5', '--max-minutes takes a whole number from 1, not "1.5"'],
];
for (const [flag, says] of MISTAKES)
  test(`${flag} costs nothing`, async ({ rig }) => {
    makeTask(rig, LOOK, 'a');
    const { code, stderr } = await rig.run('tollgate', ['batch', 'a', flag]);
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(stderr, says);
  });

test.run();

/** As the command would make it of no flags. */
function requestOf(rig: TestRig) {
  return {
    options: OPTIONS,
    context: contextIn(rig),
    flags: [],
    badTasks: 'refuse',
    onFailure: 'go_on',
    exitCode: 'plain',
    tell: () => {},
  } as const;
}
