// A prompt that has changed since it was answered: nothing is paid without a word, what a person says is remembered, and every view agrees.

import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchReport } from '../../../loops/batch/report.ts';
import type { TasksReport } from '../../../loops/report/collect.ts';
import type { Forecast } from '../../../loops/run/forecast.ts';
import { actionLine, toType } from '../../../policies/facts/next-action.ts';
import { validatorOf } from '../../rig/schemas/validator.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('changed prompt');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const BRIEF = { tool: 'codex', role: 'brief', ...ANY_ANSWER };
const REVIEW = { tool: 'gemini', role: 'review', ...ANY_ANSWER };
const REQUEST = '.tmp/task/fix/inputs/user_request.md';

/** Two stages that are done, whose prompts have both changed since. */
async function changedTask(rig: TestRig): Promise<TestTask> {
  rig.answer((call) => answerWith(call.report.tool, `by ${call.report.tool}`));
  const task = makeTask(rig, { stages: [BRIEF, REVIEW] });
  await task.run();
  rig.write(REQUEST, 'something else');
  return task;
}

const statesOf = async (task: TestTask, ...flags: string[]) => {
  const { code, report } = await task.run(...flags);
  return [code, report.stages.map(({ state }) => state)];
};
const KEPT = [0, ['done_earlier', 'done_earlier']];

test('an attachment that became a link is named, since it is why the prompt changed', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'found'));
  const file = rig.write('.tmp/task/fix/inputs/attachments/notes.md', 'notes');
  const task = makeTask(rig, { stages: [BRIEF] });
  await task.run();
  rmSync(file);
  symlinkSync(rig.write('elsewhere.md', 'a secret'), file);
  const { code, report } = await task.run();
  assert.is(code, 2);
  assert.match(report.message ?? '', /stage codex_brief is done, but .* \(.*notes\.md is a symbolic link.*\)$/);
});

test('--keep of an answer that did not pass its gate is remembered too', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'no sections here'));
  const task = makeTask(rig, { stages: [{ ...BRIEF, requires: ['Plan'] }] });
  await task.run();
  rig.write(REQUEST, 'something else');
  assert.is((await task.run()).code, 2);
  for (const flags of [['--keep=codex_brief'], [], []]) {
    const { code, report } = await task.run(...flags);
    assert.equal([code, report.failure?.reason, rig.calls.length], [1, 'missing_sections', 1]);
  }
  rig.write(REQUEST, 'yet another thing');
  assert.is((await task.run()).code, 2);
});

test('what changed in a prompt is named: a field of the manifest, an attachment, the answer before; without the earlier prompt nothing', async ({
  rig,
}) => {
  rig.write('notes.md', 'a note');
  const stages = [{ ...BRIEF, attach: ['notes.md'] }];
  const task = makeTask(rig, { stages });
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await task.run()).code, 0);
  const told = async (manifest: object) => {
    const { code, report } = await makeTask(rig, { stages, ...manifest }).run();
    assert.is(code, 2);
    return / \(changed: (.*?)\)/.exec(report.message!)?.[1];
  };
  assert.is(await told({ goal: 'Find out more.' }), 'Goal');
  assert.is(
    await told({ scope: { allow: ['src/**'] }, acceptance: { criteria: ['it works'] } }),
    'Allowed scope, Acceptance',
  );
  rig.write('notes.md', 'another note, which is longer');
  assert.is(await told({}), 'notes.md');
  assert.is(await told({ stages: [BRIEF] }), 'notes.md');
  rmSync(path.join(task.folder, 'inputs/prompt'), { recursive: true });
  assert.is(await told({}), undefined);
  assert.is(rig.calls.length, 1);
});

test('--redo-all and --redo all say what they repeat, and what pays for it', async ({ rig }) => {
  const task = await changedTask(rig);
  const all = await task.run('--redo-all');
  const words =
    '2 answered stages are repeated, for at least 2 paid calls (codex_brief, gemini_review), charged to the budget of task fix, of whose 10 paid calls 2 are used';
  assert.equal([all.code, all.said.split(words).length], [0, 2], all.said);
  const again = await task.run('--redo=all');
  assert.match(again.said, words.replace('10 paid calls 2', '10 paid calls 4'));
  assert.not.match((await task.run()).said, 'repeated');
  rig.write(REQUEST, 'yet another thing');
  const { code, stderr } = await rig.run('tollgate', ['batch', 'fix', '--redo-all']);
  assert.is(code, 0);
  assert.match(
    stderr,
    '2 answered stages are repeated in 1 task, for at least 2 paid calls, each charged to the budget of its task',
  );
});

test('all stages whose prompts have changed are named at once, and every view says the same; what is said with a refused run is said again, and remembered', async ({
  rig,
}) => {
  const task = await changedTask(rig);
  const { code, said, report, summary } = await task.run();
  const message =
    'the prompts of 2 stages have changed since they were answered: codex_brief, gemini_review; use --keep-all to keep their answers, --redo-all to pay for all of them again, or --keep STAGE and --redo STAGE for each (changed: of codex_brief: request; of gemini_review: request)';
  const next = [
    toType('keep the answers of codex_brief, gemini_review (free)', 'tollgate run fix --keep-all'),
    toType('or run all of them again, for 2 paid calls', 'tollgate run fix --redo-all', 'pays'),
    toType('or list the changed prompts (free)', 'tollgate run fix --dry-run'),
  ];
  assert.ok(validatorOf('REPORT_SCHEMA')(report));
  assert.equal(
    [code, said, report.state, report.message, report.next_actions, report.stages.map(({ state }) => state)],
    [2, `tollgate run: ${message}\n`, 'refused', message, next, ['done_earlier', 'done_earlier']],
  );
  assert.equal(
    report.stages.map(({ tool, answer }) => [tool, answer?.slice(task.folder.length)]),
    [
      ['codex', '/outputs/codex_brief.codex.out'],
      ['gemini', '/outputs/gemini_review.gemini.out'],
    ],
  );
  assert.match(summary, '# Task fix: refused (prompt_changed), nothing was run');
  assert.match(summary, /\| codex_brief \| done earlier \(20[^|]*\) \|/);
  const failure = task.failure()!;
  assert.equal([failure.reason, failure.evidence?.text, failure.next_actions], ['prompt_changed', message, next]);

  const explained = JSON.parse((await rig.run('tollgate', ['explain', 'fix', '--json'])).stdout);
  assert.equal([explained.reason, explained.evidence.text], ['prompt_changed', message]);
  const listed = await rig.run('tollgate', ['report', '--json', '--failed']);
  const { tasks, totals } = JSON.parse(listed.stdout) as TasksReport;
  const [row] = tasks;
  assert.equal(
    [totals.refused, row?.state, row?.reason, row?.evidence, row?.next_action, row?.stages.map(({ state }) => state)],
    [1, 'refused', 'prompt_changed', message, next[0], ['done_earlier', 'done_earlier']],
  );
  const batch = await rig.run('tollgate', ['batch', 'fix', '--json']);
  const refused = JSON.parse(batch.stdout) as { message: string; next_actions: string[] };
  assert.equal([batch.code, refused.next_actions.length], [2, 2]);
  assert.ok(refused.message.includes(message));
  assert.is(rig.calls.length, 2);

  makeTask(rig, { stages: [BRIEF] }, 'other');
  const skipping = await rig.run('tollgate', ['batch', 'fix', 'other', '--skip-bad', '--json']);
  const other = JSON.parse(skipping.stdout) as BatchReport;
  assert.ok(validatorOf('BATCH_SCHEMA')(other));
  assert.equal(
    other.tasks.map(({ task_id, state, reason, stages }) => [task_id, state, reason, stages.length]),
    [
      ['fix', 'refused', 'prompt_changed', 0],
      ['other', 'done', null, 1],
    ],
  );
  assert.is(other.by_failure[0]!.next_actions[0]!.command, 'tollgate run fix --keep-all');

  const both = await task.run('--redo-all', '--keep-all');
  assert.is(both.code, 2);
  assert.match(both.said, '--redo-all and --keep-all contradict each other');

  const dryRun = async (...flags: string[]) =>
    JSON.parse((await task.outcome('--dry-run', ...flags)).stdout) as Forecast;
  const forecast = await dryRun();
  assert.equal(
    forecast.stages.map(({ state }) => state),
    ['prompt_changed', 'prompt_changed'],
  );
  assert.equal([forecast.next_actions.length, forecast.next_actions[0]!.command], [2, 'tollgate run fix --keep-all']);
  assert.equal(
    (await dryRun('--keep-all')).stages.map(({ state }) => state),
    ['done_earlier', 'done_earlier'],
  );
  const people = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.equal([people.code, /codex_brief: answered, but its prompt has changed since/.test(people.stdout)], [0, true]);

  const half = await task.run('--keep=codex_brief');
  const rest = [
    toType('keep the answer of gemini_review (free)', 'tollgate run fix --keep codex_brief --keep gemini_review'),
    toType(
      'or run gemini_review again, for one paid call',
      'tollgate run fix --keep codex_brief --redo gemini_review',
      'pays',
    ),
  ];
  assert.equal([half.code, half.report.state, half.report.next_actions], [2, 'refused', rest]);
  assert.equal((await dryRun('--keep', 'codex_brief')).next_actions, rest);
  const [, , ...flags] = rest[0]!.command!.split(' ').slice(1);
  assert.equal(await statesOf(task, ...flags), KEPT);
  // It is remembered for that prompt, and a further change asks again.
  assert.equal(await statesOf(task), KEPT);
  rig.write(REQUEST, 'yet another thing');
  assert.is((await task.run()).code, 2);
  rig.write(REQUEST, 'something else');
  assert.equal([await statesOf(task), rig.calls.length], [KEPT, 3]);
});

const WISHES: [flags: string[], calls: number, states: string[]][] = [
  [['--keep-all'], 0, ['done_earlier', 'done_earlier']],
  [['--redo-all'], 2, ['done', 'done']],
  [['--redo-all', '--keep=codex_brief'], 1, ['done_earlier', 'done']],
  [['--keep-all', '--redo=gemini_review'], 1, ['done_earlier', 'done']],
];
test('--keep and --redo, of all or of some: the paid calls of each, and a plain run asks nothing more', async ({
  rig,
}) => {
  const task = await changedTask(rig);
  for (const [flags, calls, states] of WISHES) {
    const before = rig.calls.length;
    rig.write(REQUEST, `something else for ${flags.join(' ')}`);
    assert.equal([await statesOf(task, ...flags), rig.calls.length - before], [[0, states], calls], flags.join(' '));
    assert.equal([await statesOf(task), rig.calls.length - before], [KEPT, calls], flags.join(' '));
  }
  // Nothing is repeated whose prompt is the same.
  assert.equal([await statesOf(task, '--redo-all'), rig.calls.length], [KEPT, 6]);
});

test('a stage that is redone may change the prompt of one that is done: that one is said, and the first stands', async ({
  rig,
}) => {
  rig.answer((call) => answerWith(call.report.tool, '# Updated Context Pack\n\nfirst\n'));
  const task = makeTask(rig, { stages: [{ ...BRIEF, requires: ['Updated Context Pack'] }, REVIEW] });
  await task.run();
  rig.answer((call) => answerWith(call.report.tool, '# Updated Context Pack\n\nsecond\n'));
  const { code, report } = await task.run('--redo=codex_brief');
  assert.equal(
    [code, report.state, report.failure?.stage, report.failure?.reason, report.stages.map(({ state }) => state)],
    [2, 'failed', 'gemini_review', 'prompt_changed', ['done', 'done_earlier']],
  );
  // That the first is to be redone is not said again: it was, and was paid for.
  assert.is(report.next_actions[0]!.command, 'tollgate run fix --keep gemini_review');
});

test('a stage that failed and whose task is refused now is still told as failed, with its evidence', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [BRIEF, REVIEW] });
  rig.answer((call) =>
    call.report.tool === 'codex'
      ? answerWith('codex', 'fine')
      : failWith('gemini', 'unexpected status 401 Unauthorized: no', 401),
  );
  await task.run();
  rig.write(REQUEST, 'something else');
  const { report } = await task.run();
  assert.equal(
    report.stages.map(({ state, class: errorClass, evidence }) => [state, errorClass, evidence === null]),
    [
      ['done_earlier', null, true],
      ['failed_earlier', 'auth', false],
    ],
  );
});

test('a budget that failures used up names what failed first, and then the budget', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401));
  const task = makeTask(rig, { stages: [BRIEF], budgets: { paid_call_budget: 1 } });
  const first = await task.run();
  const { code, report } = await task.run();
  const { reason, evidence, next_actions } = report.failure!;
  assert.equal([code, first.report.failure?.class, reason, rig.calls.length], [1, 'auth', 'budget', 1]);
  assert.match(evidence!.text, /^auth \(bad_key\): unexpected status 401 .*; then the budget: /);
  assert.equal(
    [next_actions[0], actionLine(next_actions.at(-1)!)],
    [
      first.report.next_actions.find(({ text }) => text.includes('codex login')),
      'only if the user allows more paid calls: raise the limit, and call codex again: `tollgate budget fix --set 6 && tollgate run fix`',
    ],
  );
});

test('no line that asks again is said before the budget is raised, whatever failed before', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'zorkmid flux inverted', 1));
  const task = makeTask(rig, { stages: [BRIEF], budgets: { paid_call_budget: 1 } });
  await task.run();
  const { report } = await task.run();
  const again = report.next_actions.filter(({ command }) => command?.includes('tollgate run fix'));
  assert.equal(again.map(actionLine), [
    'only if the user allows more paid calls: raise the limit, and fix what the evidence names, if anything, then call codex again: `tollgate budget fix --set 6 && tollgate run fix`',
  ]);
});

test('each stage of a run has its tool, answer, time and tokens', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'fine'));
  const task = makeTask(rig, { stages: [BRIEF] });
  for (const state of ['done', 'done_earlier']) {
    const { report } = await task.run();
    const { tool, tokens, duration_ms, answer, class: errorClass, evidence, ...stage } = report.stages[0]!;
    assert.equal(
      [stage.state, tool, tokens, duration_ms! > 0, answer, errorClass, evidence],
      [state, 'codex', 18, true, `${task.folder}/outputs/codex_brief.codex.out`, null, null],
    );
    assert.equal(report.next_actions.map(actionLine), [`read the answer: ${answer}`]);
  }
});

test.run();
