// The rest of the loop: a stand-in for a tool without quota, the task's own limits, digests, what a dry run tells.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Forecast } from '../../../loops/run/forecast.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';

const test = suite<{ rig: TestRig }>('whole task');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const ONE = { stages: [REVIEW] };
const QUOTA = 'Quota exceeded. Check your plan and billing details.';
const TOO_LONG =
  "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";

test('another tool stands in when the quota is out, and its answer is the stage’s', async ({ rig }) => {
  rig.answer((call) =>
    call.report.tool === 'codex' ? failWith('codex', QUOTA, 429) : answerWith(call.report.tool, 'by another'),
  );
  const fallback = [{ tool: 'copilot', model: 'm2' }, { tool: 'gemini' }];
  const stages = [
    { ...REVIEW, model: 'm1', fallback },
    { tool: 'gemini', role: 'review_consolidate', ...ANY_ANSWER },
  ];
  const task = makeTask(rig, { stages });
  const { code, report } = await task.run();
  assert.equal([code, report.stages.map(({ calls }) => calls)], [0, [2, 1]]);
  const [first, second, third] = rig.calls.map(({ report }) => report);
  assert.equal(
    [first!.tool, first!.argv.includes('m1'), second!.tool, second!.argv.join(' ').includes('m2')],
    ['codex', true, 'copilot', true],
  );
  assert.match(third!.stdin.text, 'by another');
  assert.is(task.read('outputs/codex_review.copilot.out'), 'by another');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 3]);
});

test('another model of the same tool stands in where the first is overloaded, and the summary says so', async ({
  rig,
}) => {
  const overloaded = failWith('codex', 'The model is overloaded. Please try again later.', 503);
  rig.answer((call) => (call.report.argv.includes('m2') ? answerWith('codex', 'by m2') : overloaded));
  const fallback = [{ tool: 'codex', model: 'm2' }];
  const stage = { ...REVIEW, model: 'm1', fallback, fallback_on: ['overloaded'] };
  const task = makeTask(rig, { stages: [stage] });
  const { code, report } = await task.run();
  assert.equal([code, report.stages[0]!.calls, task.read('outputs/codex_review.codex.out')], [0, 2, 'by m2']);
  assert.match(task.read('outputs/_summary.md'), 'codex with m2 was asked in place of codex with m1 (overloaded)');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 2]);
});

test('what one task learnt of a quota another one does not pay for: its stand-in is asked, or it says until when', async ({
  rig,
}) => {
  rig.answer((call) =>
    call.report.tool === 'codex'
      ? failWith('codex', "You've hit your usage limit. Try again in 3 hours.", 429)
      : answerWith(call.report.tool, 'by another'),
  );
  const learnt = await makeTask(rig, ONE, 'learns').run();
  const retryAt = learnt.report.failure!.retry_at;
  const stood = await makeTask(rig, { stages: [{ ...REVIEW, fallback: [{ tool: 'copilot' }] }] }, 'stands').run();
  const held = await makeTask(rig, ONE, 'waits').run();
  assert.equal([stood.code, held.code], [0, 1]);
  assert.equal([held.report.failure?.reason, held.report.failure?.retry_at], ['held', retryAt]);
  assert.equal([held.report.budget?.used, stood.report.budget?.used], [0, 1]);
  await makeTask(rig, ONE, 'asks').run('--ignore-hold');
  assert.equal(
    rig.calls.map(({ report }) => report.tool),
    ['codex', 'copilot', 'codex'],
  );
});

test('when every stand-in is out of quota too, the stage stops with quota', async ({ rig }) => {
  rig.answer((call) => failWith(call.report.tool, QUOTA, 429));
  const task = makeTask(rig, { stages: [{ ...REVIEW, fallback: [{ tool: 'copilot' }] }] });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class, report.failure?.tool], [1, 2, 'quota', 'copilot']);
});

test('the reset of a quota is waited for if it is near enough, and that is no retry', async ({ rig }) => {
  const soon = () => "You've hit your usage limit. Try again in 1 second.";
  rig.answer(() => (rig.calls.length === 1 ? failWith('codex', soon(), 429) : answerWith('codex', 'ok')));
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  const { code, report } = await task.run('--wait-for-reset', '1h');
  assert.equal([code, rig.calls.length, report.stages[0]!.calls], [0, 2, 2]);
});

test('a reset that is too far is not waited for, and said', async ({ rig }) => {
  rig.answer(() => failWith('codex', "You've hit your usage limit. Try again in 3 hours.", 429));
  const { code, report } = await makeTask(rig, ONE).run('--wait-for-reset=1h');
  assert.equal([code, rig.calls.length, report.failure?.class], [1, 1, 'quota']);
  assert.ok(report.failure!.retry_at !== null);
});

test('--wait-for-reset with no duration is a mistake', async ({ rig }) => {
  const { code, said } = await makeTask(rig, ONE).run('--wait-for-reset=soon');
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, '--wait-for-reset takes a duration such as 30m, 5h or 2d, not "soon"');
});

test('max_tokens stops a task between calls, and names the way out', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'ok'));
  const stages = [REVIEW, { ...REVIEW, id: 'again' }];
  const task = makeTask(rig, { stages, budgets: { max_tokens: 10 } });
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class, report.failure?.reason], [1, 1, 'quota', 'budget']);
  assert.match(summary, '18 of 10 tokens are used up');
  assert.match(summary, 'raise budgets.max_tokens in the manifest, and continue: `tollgate run fix`');
});

test('max_usd binds where a price is known, and says where none is', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'ok'));
  rig.write(
    'tollgate.yaml',
    'prices:\n  m1: {input: 1000, output: 10000}\n  test-model: {input: 1000, output: 10000}\n',
  );
  const stages = [
    { ...REVIEW, model: 'm1' },
    { ...REVIEW, id: 'unknown', model: 'm9' },
    // codex tells of a session that is continued only its total.
    { ...REVIEW, tool: 'gemini', id: 'third' },
    { ...REVIEW, id: 'fourth' },
  ];
  const task = makeTask(rig, { stages, budgets: { max_usd: 0.1 } });
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.stage, report.failure?.reason], [1, 3, 'fourth', 'budget']);
  assert.match(summary, '$0.1620 of $0.1 (unknown for 1 call)');
});

test('a prompt that is too large is asked once more as a digest; then the report says how to split', async ({
  rig,
}) => {
  rig.answer(() => failWith('codex', TOO_LONG, 400));
  const task = makeTask(rig, ONE);
  rig.write('.tmp/task/fix/inputs/attachments/build.log', 'a line of the log\n'.repeat(3000));
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class], [1, 2, 'prompt_too_large']);
  const [first, second] = rig.calls.map(({ report }) => report.stdin.text);
  assert.ok(second!.length < first!.length);
  assert.match(first!, 'a line of the log');
  assert.not.match(second!, 'a line of the log');
  assert.ok(report.next_actions.length > 1);
});

test('a prompt that is over the limit even as a digest costs nothing', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ ...REVIEW, prompt: 'long.md' }], goal: 'Find out. '.repeat(3000) });
  rig.write('.tmp/task/fix/long.md', 'Look at this line of it.\n'.repeat(41_600));
  const { code, report } = await task.run();
  assert.equal(
    [code === 0, rig.calls.length, report.failure?.class ?? report.exit_code],
    [false, 0, 'prompt_too_large'],
  );
  assert.match(report.next_actions.map(actionLine).join('\n'), 'shorten its template');
});

test('the wall clock of a task bounds a call that hangs', async ({ rig }) => {
  rig.answer(() => [{ do: 'hang' }]);
  const { code, report } = await withinLimit(2000, async (limitMs) => {
    const budgets = { max_wallclock_sec: limitMs / 1000 };
    const ran = await makeTask(rig, { ...ONE, budgets }, `fix-${limitMs}`).run();
    return rig.calls.length > 0 ? ran : TOO_LATE;
  });
  assert.equal([code, rig.calls.length, report.failure?.ending], [1, 1, 'timed_out']);
  assert.is(report.failure?.evidence?.limit?.name, 'rest_of_task_time');
  const record = JSON.parse(readFileSync(report.failure!.files.record!, 'utf8'));
  assert.equal(record.verdict.evidence?.limit, report.failure?.evidence?.limit);
  const steps = report.next_actions.map(actionLine).join('\n');
  assert.match(steps, 'raise `budgets.max_wallclock_sec`');
  assert.not.match(steps, 'timeout_ms');
});

test('a dry run tells every call, pays nothing and writes no prompt', async ({ rig }) => {
  const task = makeTask(rig, { pipeline: 'one_shot_impl', acceptance: { commands: ['npm test'] } });
  const { code, stdout } = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--json']);
  const { stages } = JSON.parse(stdout) as Forecast;
  assert.equal(
    [code, rig.calls.length, stages.map(({ stage, state }) => [stage, state])],
    [
      0,
      0,
      [
        ['codex_impl', 'to_run'],
        ['gemini_verify', 'to_run'],
      ],
    ],
  );
  assert.equal(stages[0]!.argv.slice(0, 2), ['codex', 'exec']);
  assert.equal(stages[1]!.acceptance_commands, ['npm test']);
  assert.not(existsSync(path.join(task.folder, 'inputs/prompt')));
  rig.answer((call) => answerWith(call.report.tool, 'short'));
  await task.run();
  const { stdin: sent, env } = rig.calls[0]!.report;
  // So that its agent can ask for the scope.
  assert.equal([env.TOLLGATE_TASK, env.GEMINI_CLI_TOLLGATE_TASK], [task.folder, task.folder]);
  const prompt = readFileSync(path.join(task.folder, 'inputs/prompt/codex.impl.md'), 'utf8');
  const sha256 = createHash('sha256').update(prompt).digest('hex');
  assert.equal([sha256, prompt.length], [stages[0]!.prompt_sha256, stages[0]!.prompt_chars]);
  // The first prompt of a session says whose it is.
  assert.is(sent.text, `[Feature: fix]\n\n${prompt}`);
  const shown = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.match(
    shown.stdout,
    'Task fix: a run needs 2 paid calls for 2 stages, more with retries, at most the 9 that remain of 10; price unknown. Nothing was paid.',
  );
});

test('a dry run says where the budget would stop the run, and which line raises it', async ({ rig }) => {
  const foresee = async () => {
    const { stdout } = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--json']);
    const { stages, next_actions } = JSON.parse(stdout) as Forecast;
    return [
      ...stages.map(({ warnings }) => warnings.filter((warning) => warning.includes('budget'))),
      next_actions.map(({ command }) => command).filter((command) => command !== undefined),
    ];
  };
  const warning = (total: number) =>
    `no paid call remains for it (${total} in all): the run would end with quota (budget) here, and pay nothing for it`;
  const limited = (total: number) =>
    makeTask(rig, { pipeline: 'one_shot_impl', budgets: { paid_call_budget: total } }, 'fix');
  limited(2);
  assert.equal(await foresee(), [[], [], ['tollgate run fix']]);
  limited(1);
  assert.equal(await foresee(), [[], [warning(1)], ['tollgate budget fix --set 2 && tollgate run fix']]);
  const shown = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.match(shown.stdout, `  warning: ${warning(1)}\n`);
  assert.match(
    shown.stdout,
    'Next: only if the user allows more paid calls: raise the limit, and run it: `tollgate budget fix --set 2 && tollgate run fix`\n',
  );
  // The first answer did not pass: it is looked at again without a call.
  rig.answer((call) => answerWith(call.report.tool, 'short'));
  assert.is((await limited(1).run()).report.failure?.stage, 'codex_impl');
  assert.equal(await foresee(), [[], [warning(1)], ['tollgate budget fix --set 2 && tollgate run fix']]);
  limited(0);
  assert.equal((await foresee())[2], ['tollgate budget fix --set 2 && tollgate run fix']);
});

/** Every file of a folder with its bytes and its time. */
const everything = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .sort()
    .map((file) => [file, statSync(file).mtimeMs, statSync(file).isFile() ? readFileSync(file, 'utf8') : null]);

test('a dry run changes nothing on disk, and counts as a run would', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'short'));
  const task = makeTask(rig, ONE);
  const foresee = async () => {
    const before = everything(rig.project);
    const { code, stdout } = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--json']);
    assert.equal(everything(rig.project), before);
    return [code, JSON.parse(stdout).budget ?? JSON.parse(stdout).message];
  };
  assert.equal(await foresee(), [0, { used: 0, total: 10 }]);
  await task.run();
  rig.write(
    '.tmp/task/fix/manifest.json',
    task.read('manifest.json').replace('{', '{"budgets":{"paid_call_budget":3},'),
  );
  assert.equal(await foresee(), [0, { used: 1, total: 3 }]);
  const stats = JSON.parse(task.read('state/stats.json'));
  rig.write('.tmp/task/fix/state/stats.json', JSON.stringify({ ...stats, paid_calls_used: 0 }));
  assert.equal(await foresee(), [0, { used: 0, total: 3 }]);
  rig.write('.tmp/task/fix/state/stats.json', 'none');
  const broken = path.join(task.folder, 'state/stats.json');
  assert.equal(await foresee(), [
    2,
    `${broken} is not a JSON object. Fix it, or delete it: it is rebuilt from the journal.`,
  ]);
});

test.run();
