// A dispatched task over fake CLIs: the retry table, the budget, one run at a time, reports for every end, and crashes.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../state/ledger.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief' }] };
const TWO = {
  stages: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'review' },
  ],
};

/** The n-th fake does the n-th thing; the last one again and again. */
function answers(rig: TestRig, ...all: (readonly FakeCommand[])[]): void {
  rig.answer(() => all[Math.min(rig.calls.length, all.length) - 1]!);
}

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
  assert.match(summary, 'Budget: 2 of 10 paid calls used, 8 left.');
  assert.is(task.failure(), null);
  assert.equal(JSON.parse(task.read('state/stats.json')).stages_completed, ['gemini_brief', 'copilot_review']);
});

test('a second run of a finished task makes no call', async ({ rig }) => {
  answers(rig, answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  await task.run();
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.stages[0]!.state], [0, 1, 'done_earlier']);
});

test('a changed prompt of a done stage is not paid silently: exit 2, --redo or --keep', async ({ rig }) => {
  answers(rig, answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  await task.run();
  rig.write('.tmp/task/fix/inputs/user_request.md', 'something else');
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 1]);
  assert.match(
    said,
    'stage codex_brief is done, but its prompt has changed since; say --redo codex_brief to pay for it again, or --keep codex_brief to keep its answer',
  );
  assert.is((await task.run('--keep', 'codex_brief')).code, 0);
  assert.is(rig.calls.length, 1);
  assert.is((await task.run('--redo=codex_brief')).code, 0);
  assert.is(rig.calls.length, 2);
  assert.is((await task.run()).code, 0);
  assert.is(rig.calls.length, 2);
});

const ROWS: [what: string, fail: () => readonly FakeCommand[], errorClass: string, calls: number][] = [
  ['transient', () => failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500), 'transient', 2],
  [
    'prompt_too_large',
    () =>
      failWith(
        'codex',
        "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
        400,
      ),
    'prompt_too_large',
    2,
  ],
  ['auth', () => failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401), 'auth', 1],
  ['quota', () => failWith('codex', 'Quota exceeded. Check your plan and billing details.', 429), 'quota', 1],
  [
    'tooling',
    () => failWith('codex', 'The model `nope` does not exist or you do not have access to it.', 404),
    'tooling',
    1,
  ],
  ['unknown', () => failWith('codex', 'the flux capacitor is misaligned', 0), 'unknown', 2],
];
for (const [what, fail, errorClass, calls] of ROWS)
  test(`${what} again and again: ${calls} paid calls, then it stops and says why`, async ({ rig }) => {
    answers(rig, fail());
    const task = makeTask(rig, ONE);
    const { code, report, summary } = await task.run();
    assert.equal([code, rig.calls.length, report.failure?.class], [1, calls, errorClass]);
    const failure = task.failure()!;
    assert.equal(
      [failure.stage, failure.tool, failure.count, failure.attempt, failure.resolved_at],
      ['codex_brief', 'codex', calls, calls, null],
    );
    assert.ok(failure.next_actions.length > 0);
    assert.match(summary, `failed at codex_brief, ${errorClass}`);
    assert.match(summary, failure.signature!);
    assert.ok(summary.split('\n').length <= 81);
  });

test('a transient failure is retried once and the task goes on', async ({ rig }) => {
  answers(rig, failWith('codex', 'unexpected status 503 Service Unavailable: busy', 503), answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  const { code, report } = await task.run();
  assert.equal([code, report.stages[0]!.calls, report.budget.used], [0, 2, 2]);
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
  assert.match(report.failure!.decision.why, 'the retries of this stage are used up');
});

test('a rerun after a failure starts its counts afresh, and a success resolves the failure record', async ({ rig }) => {
  const boom = failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500);
  answers(rig, boom, boom, boom, answerWith('codex', 'ok'));
  const task = makeTask(rig, ONE);
  assert.is((await task.run()).code, 1);
  assert.is((await task.run()).code, 0);
  assert.is(rig.calls.length, 4);
  assert.ok(task.failure()!.resolved_at !== null);
  const [row] = Object.values(
    JSON.parse(task.read('state/stats.json')).signatures as Record<string, { count: number }>,
  );
  assert.is(row!.count, 3);
});

test('the budget stops a task, spawns nothing, and names the way out', async ({ rig }) => {
  answers(rig, failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500));
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 1 } });
  assert.is((await task.run()).code, 1);
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class, report.failure?.reason], [1, 1, 'quota', 'budget']);
  assert.match(summary, 'tollgate budget fix --set');
  assert.is((await rig.start('tollgate', ['budget', 'fix', '--set', '3']).result).code, 0);
  await task.run();
  assert.is(rig.calls.length, 3);
});

test('--exit-by-class names the budget', async ({ rig }) => {
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 0 } });
  assert.is((await task.run('--exit-by-class')).code, 76);
});

test('a failed attempt that ran tools is gone on with in its session, not redone', async ({ rig }) => {
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
  assert.match(stdin.text, 'Go on from where it stopped');
});

test('where its session cannot be gone on with, it stops and says so', async ({ rig }) => {
  const { opens, runsTool, fails }: Stream = STREAMS.gemini;
  answers(rig, [
    write([...opens(SESSION), ...runsTool('done half'), ...fails('busy', 503, SESSION)]),
    { do: 'exit', code: 247 },
  ]);
  const task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief' }] });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 1]);
  assert.match(report.failure!.decision.why, 'the attempt had already run tools, and there is no session to go on in');
});

test('--retry-dirty begins anew all the same', async ({ rig }) => {
  const { opens, runsTool, fails }: Stream = STREAMS.gemini;
  const dirty = [
    write([...opens(SESSION), ...runsTool('done half'), ...fails('busy', 503, SESSION)]),
    { do: 'exit', code: 247 } as const,
  ];
  answers(rig, dirty, answerWith('gemini', 'whole'));
  const task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief' }] });
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

test('of two runs of one task the second waits for the first and returns its outcome', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const second = task.start();
  const refused = await task.start('--no-wait').result;
  assert.equal(
    [refused.code, /another run has this task \(pid \d+\); leave --no-wait out to wait for it/.test(refused.stderr)],
    [1, true],
  );
  await fake.tell(...answerWith('codex', 'ok'));
  assert.is((await first.result).code, 0);
  const { code, stderr } = await second.result;
  assert.equal([code, rig.calls.length], [0, 1]);
  assert.match(stderr, /another run has this task \(pid \d+\); waiting for it/);
  assert.match(stderr, /another run of fix ended with exit code 0/);
});

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`${signal} to the dispatcher: record, report, exit ${exit}, nobody left; the next run goes on`, async ({
    rig,
  }) => {
    const task = makeTask(rig, ONE);
    const running = task.start();
    const fake = await rig.call();
    await fake.tell(write(STREAMS.codex.opens(SESSION)));
    await fake.spawn(['sleep', '600'], { detached: true });
    running.signal(signal);
    const { code, stdout } = await running.result;
    assert.equal([code, JSON.parse(stdout).state], [exit, 'interrupted']);
    assert.equal([task.failure()!.reason, task.failure()!.exit_code], ['cancelled', exit]);
    assert.match(task.read('outputs/_summary.md'), 'interrupted');
    assert.equal(rig.survivors(), []);
    rig.answer(() => answerWith('codex', 'ok'));
    assert.is((await task.run()).code, 0);
  });

test('a dispatcher that is killed leaves its call to its guardian; the next run takes the answer and pays nothing', async ({
  rig,
}) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  const { code, report } = await second;
  assert.equal([code, rig.calls.length, report.stages[0]!.calls, report.budget.used], [0, 1, 0, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('a guardian that is killed leaves a tree that is judged by its files; the answer is not paid again', async ({
  rig,
}) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const [call] = openCalls(task.journal.read().ledger);
  first.signal('SIGKILL');
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await first.result;
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  const { code, report } = await second;
  assert.equal([code, rig.calls.length, report.budget.used], [0, 1, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
  assert.equal(openCalls(task.journal.read().ledger), []);
});

test('a guardian killed under a living dispatcher is settled by that dispatcher', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const [call] = openCalls(task.journal.read().ledger);
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await fake.tell(...answerWith('codex', 'paid for'));
  const { code } = await first.result;
  assert.equal([code, rig.calls.length], [0, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('an answer to a digest that was paid for before a crash is not paid again', async ({ rig }) => {
  const long =
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";
  const task = makeTask(rig, ONE);
  const first = task.start();
  await (await rig.call()).tell(...failWith('codex', long, 400));
  const second = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const again = task.run();
  await second.tell(...answerWith('codex', 'paid for'));
  const { code } = await again;
  assert.equal([code, rig.calls.length, task.read('outputs/codex_brief.codex.out')], [0, 2, 'paid for']);
});

test('a call whose whole tree died is closed as interrupted, counted, and made once more', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const first = task.start();
  const fake = await rig.call();
  const [call] = openCalls(task.journal.read().ledger);
  first.signal('SIGKILL');
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  await first.result;
  rig.answer(() => answerWith('codex', 'again'));
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.budget.used], [0, 2, 2]);
});

const BAD: [what: string, manifest: string, message: RegExp][] = [
  ['no YAML', 'task_id: [', /manifest\.yaml:1: /],
  [
    'an unknown field',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\nbugets: {}\n',
    /manifest\.yaml:4: bugets is unknown; did you mean budgets\?/,
  ],
  [
    'a wrong type',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief, timeout_ms: soon}]\n',
    /manifest\.yaml:3: stages\[0\]\.timeout_ms must be number, not string/,
  ],
  [
    'an unknown tool',
    'task_id: fix\ngoal: g\nstages: [{tool: claude, role: brief}]\n',
    /manifest\.yaml:3: stages\[0\]\.tool must be one of gemini, copilot, codex/,
  ],
  [
    'no goal',
    'task_id: fix\nstages: [{tool: codex, role: brief}]\n',
    /manifest\.yaml:1: goal is missing; expected string/,
  ],
  [
    'another id',
    'task_id: fax\ngoal: g\nstages: [{tool: codex, role: brief}]\n',
    /task_id is "fax", but its folder is "fix"/,
  ],
  [
    'two stages of one name',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: a}, {tool: codex, role: a}]\n',
    /two stages are called "codex_a"/,
  ],
  ['a YAML tag', 'task_id: fix\ngoal: !!js/function "x"\nstages: [{tool: codex, role: a}]\n', /manifest\.yaml:2: /],
  [
    'a billion laughs',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n`,
    /Excessive alias count/,
  ],
];
for (const [what, manifest, message] of BAD)
  test(`a manifest with ${what}: exit 2, named, nothing paid`, async ({ rig }) => {
    const task = makeTask(rig, ONE);
    rmSync(path.join(task.folder, 'manifest.json'));
    writeFileSync(path.join(task.folder, 'manifest.yaml'), manifest);
    const { code, said } = await task.run();
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(said, message);
  });

test('a task that is not there, and ids that are paths', async ({ rig }) => {
  for (const [word, message] of [
    ['nothing', /no manifest\.yaml/],
    ['..', /"\.\." is no task id/],
    ['a b', /"a b" is no task id/],
    ['x'.repeat(129), /is no task id/],
  ] as const) {
    const { code, stderr } = await rig.start('tollgate', ['run', word]).result;
    assert.is(code, 2);
    assert.match(stderr, message);
  }
});

test('a missing CLI is tooling, pays nothing and names preflight', async ({ rig }) => {
  rig.uninstall('codex');
  const task = makeTask(rig, ONE);
  const { code, report } = await task.run();
  assert.equal(
    [code, report.failure?.reason, report.budget.used, report.stages[0]!.calls],
    [1, 'binary_missing', 0, 0],
  );
  assert.ok(report.next_actions.some((action) => action.includes('preflight')));
});

test('a summary never runs over 80 lines, however long the stderr', async ({ rig }) => {
  rig.answer(() => [
    {
      do: 'write',
      to: 'stderr',
      text: Array.from({ length: 5000 }, (_, i) => `Error: line ${i} of very many`).join('\n'),
    },
    ...failWith('codex', 'no', 401),
  ]);
  const task = makeTask(rig, ONE);
  const { summary } = await task.run();
  assert.ok(summary.trimEnd().split('\n').length <= 80);
  assert.match(summary, 'Error: line 0 of');
  assert.match(summary, 'Error: line 4999 of');
});

test.run();
