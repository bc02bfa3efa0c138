// A dispatched task over fake CLIs: the stages in order, the retry table, the budget, sessions continued.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const TWO = {
  stages: [
    { tool: 'gemini', role: 'brief', ...ANY_ANSWER },
    { tool: 'copilot', role: 'review', ...ANY_ANSWER },
  ],
};

/** The n-th fake does the n-th thing; the last one again and again. */
function answers(rig: TestRig, ...all: (readonly FakeCommand[])[]): void {
  rig.answer(() => all[Math.min(rig.calls.length, all.length) - 1]!);
}

test('no paid call is announced where none remains', async ({ rig }) => {
  answers(rig, answerWith('gemini', 'brief'));
  const { code, stderr } = await makeTask(rig, { ...TWO, budgets: { paid_call_budget: 1 } }).start().result;
  assert.equal([code, rig.calls.length], [1, 1]);
  assert.match(stderr, 'gemini_brief: call 1 (paid call 1 of 1)');
  assert.match(stderr, 'copilot_review: call 1 (none of 1 paid calls remains');
});

test('stages run in order, and everything is left where the contract says', async ({ rig }) => {
  answers(rig, answerWith('gemini', 'brief'), answerWith('copilot', 'review'));
  const task = makeTask(rig, TWO);
  const { code, report, summary } = await task.run();
  assert.equal(
    [code, report.state, report.stages.map((stage) => [stage.stage, stage.state, stage.calls])],
    [
      0,
      'done',
      [
        ['gemini_brief', 'done', 1],
        ['copilot_review', 'done', 1],
      ],
    ],
  );
  assert.equal(
    [task.read('outputs/gemini_brief.gemini.out'), task.read('outputs/copilot_review.copilot.out')],
    ['brief', 'review'],
  );
  for (const file of [
    'outputs/gemini_brief.gemini.raw',
    'outputs/gemini_brief.gemini.err',
    'outputs/gemini_brief.gemini.call.json',
    'done/gemini_brief.done',
    'done/copilot_review.done',
    'inputs/prompt/gemini.brief.md',
  ])
    assert.ok(existsSync(path.join(task.folder, file)), file);
  assert.match(summary, '# Task fix: done');
  assert.match(summary, /Budget: 2 of 10 paid calls used, 8 left; 18 tokens \(unknown for 1 call\)/);
  assert.is(task.failure(), null);
  assert.equal(JSON.parse(task.read('state/stats.json')).stages_completed, ['gemini_brief', 'copilot_review']);
});

test('a second run makes no call, and a changed prompt is not paid silently: exit 2, --redo or --keep', async ({
  rig,
}) => {
  answers(rig, answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  await task.run();
  const second = await task.run();
  assert.equal([second.code, rig.calls.length, second.report.stages[0]!.state], [0, 1, 'done_earlier']);
  rig.write('.tmp/task/fix/inputs/user_request.md', 'something else');
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 1]);
  assert.match(
    said,
    'stage codex_brief is done, but its prompt has changed since; use --redo codex_brief to pay for it again, or --keep codex_brief to keep its answer (changed: request)',
  );
  assert.is((await task.run('--keep', 'codex_brief')).code, 0);
  assert.is(rig.calls.length, 1);
  assert.is((await task.run('--redo=codex_brief')).code, 0);
  assert.is(rig.calls.length, 2);
  assert.is((await task.run()).code, 0);
  assert.is(rig.calls.length, 2);
});

test('two different failures are two signatures, and the retry budget bounds them together', async ({ rig }) => {
  let n = 0;
  const kinds = [
    'unexpected status 500 Internal Server Error: boom',
    'stream disconnected before completion: idle timeout waiting for SSE',
    'unexpected status 502 Bad Gateway: nginx',
    'unexpected status 504 Gateway Timeout: x',
  ];
  rig.answer(() => failWith('codex', kinds[n++]!, 500));
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 2 } });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 3]);
  assert.match(report.failure!.decision.why, 'no retry of this stage remains');
});

test('a failure that comes again stops the run and says why; a rerun counts afresh, and a success resolves the record', async ({
  rig,
}) => {
  const boom = failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500);
  answers(rig, boom, boom, boom, answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class], [1, 2, 'transient']);
  const { stage, tool, count, attempt, resolved_at, next_actions, signature } = task.failure()!;
  assert.equal([stage, tool, count, attempt, resolved_at], ['codex_brief', 'codex', 2, 2, null]);
  assert.ok(next_actions.length > 0);
  assert.match(summary, signature!);
  const again = await task.run();
  assert.equal([again.code, rig.calls.length, again.report.stages[0]!.calls, again.report.budget.used], [0, 4, 2, 4]);
  assert.ok(task.failure()!.resolved_at !== null);
  const [row] = Object.values(
    JSON.parse(task.read('state/stats.json')).signatures as Record<string, { count: number }>,
  );
  assert.is(row!.count, 3);
});

test('the budget stops a task before a retry and before a run, spawns nothing, and names the way out', async ({
  rig,
}) => {
  answers(rig, failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500));
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 1 } });
  const first = await task.run();
  const { class: errorClass, decision } = first.report.failure!;
  assert.equal([first.code, errorClass, decision.why], [1, 'transient', 'no paid call remains']);
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class, report.failure?.reason], [1, 1, 'quota', 'budget']);
  assert.match(summary, 'tollgate budget fix --set');
  assert.is((await rig.run('tollgate', ['budget', 'fix', '--set', '3'])).code, 0);
  await task.run();
  assert.is(rig.calls.length, 3);
});

test('--exit-by-class names the budget', async ({ rig }) => {
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 0 } });
  assert.is((await task.run('--exit-by-class')).code, 76);
});

test('a failed attempt that ran tools is continued in its session, not redone', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  const { opens, runsTool, fails }: Stream = STREAMS.codex;
  const cut = [
    write([
      ...opens(SESSION),
      ...runsTool('done half'),
      ...fails('unexpected status 500 Internal Server Error: boom', 500, SESSION),
    ]),
    { do: 'exit', code: 1 } as const,
  ];
  answers(rig, cut, answerWith('codex', 'whole'));
  const task = makeTask(rig, ONE);
  const { code } = await task.run();
  assert.equal([code, rig.calls.length], [0, 2]);
  const { argv, stdin } = rig.calls[1]!.report;
  assert.equal([argv.slice(0, 2), argv.includes(SESSION)], [['exec', 'resume'], true]);
  assert.match(stdin.text, 'Continue from where it stopped');
});

test('where its session cannot be continued, it stops and says so', async ({ rig }) => {
  // It dies before it has said which session it is in.
  const { runsTool, fails }: Stream = STREAMS.gemini;
  answers(rig, [write([...runsTool('done half'), ...fails('busy', 503, SESSION)]), { do: 'exit', code: 247 }]);
  const task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief', ...ANY_ANSWER }] });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 1]);
  assert.match(
    report.failure!.decision.why,
    'the attempt had already run tools or changed the tree, and there is no session to continue in',
  );
});

test('--retry-dirty begins anew all the same', async ({ rig }) => {
  // It dies before it has said which session it is in.
  const { runsTool, fails }: Stream = STREAMS.gemini;
  const dirty = [write([...runsTool('done half'), ...fails('busy', 503, SESSION)]), { do: 'exit', code: 247 } as const];
  answers(rig, dirty, answerWith('gemini', 'whole'));
  const task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief', ...ANY_ANSWER }] });
  assert.is((await task.run('--retry-dirty')).code, 0);
  assert.not(rig.calls[1]!.report.argv.includes('--resume'));
});

test('a wait that would pass the wall clock is not begun', async ({ rig }) => {
  answers(rig, failWith('codex', 'Rate limit reached. Please try again in 90s.', 429));
  const task = makeTask(rig, { ...ONE, budgets: { max_wallclock_sec: 30 } });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 1]);
  assert.match(report.failure!.decision.why, "would pass the task's wall clock");
});

test.run();
