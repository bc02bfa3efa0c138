// Attempts, and runs after them: what an attempt changed is never taken for a person's, and no wait or digest pays for nothing.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../../state/journal/ledger.ts';
import type { FakeCommand } from '../../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST, untilStarted } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { waitWhile } from '../../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('attempts');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const IMPL = { tool: 'codex', role: 'impl', ...ANY_ANSWER };
const SCOPED = { stages: [IMPL], scope: { allow: ['src/**'] } };
const BUSY = 'unexpected status 503 Service Unavailable: busy';
const save = (file: string): FakeCommand => ({ do: 'save', file, text: 'by the agent\n' });

test('what an attempt changed that was stopped, after another one failed, is found by the next run', async ({
  rig,
}) => {
  rig.answer(() =>
    rig.calls.length === 1
      ? failWith('codex', BUSY, 503)
      : [save('docs/a.md'), save('src/a.ts'), { do: 'write', to: 'stderr', text: 'ready\n' }, { do: 'hang' }],
  );
  const task = makeTask(rig, SCOPED);
  const running = task.start();
  await waitWhile(() => !existsSync(path.join(rig.project, 'src/a.ts')));
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  rig.answer(() => [save('src/b.ts'), ...answerWith('codex', 'done')]);
  const { report } = await task.run('--retry-dirty');
  assert.equal(report.failure?.missing, ['docs/a.md (added; no glob of scope.allow matches)']);
});

test('a baseline of another tree is no baseline: the stage is refused, and nothing is restored there', async ({
  rig,
}) => {
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...argv], { cwd: rig.project });
  rig.write('docs/a.md', 'old\n');
  git('init', '--quiet');
  git('add', 'docs');
  git('commit', '--quiet', '-m', 'first');
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  const task = makeTask(rig, SCOPED);
  await task.run('--restore');
  rig.write('docs/a.md', 'by a person\n');
  rig.write(
    '.tmp/task/fix/manifest.json',
    JSON.stringify({ task_id: 'fix', goal: 'Find out.', ...SCOPED, worktree: true }),
  );
  rig.answer(() => [save('docs/a.md'), save('src/a.ts'), ...answerWith('codex', 'done')]);
  const { report } = await task.run('--restore');
  assert.is(report.failure?.class, 'tooling', JSON.stringify(report.failure?.evidence));
  assert.match(
    report.failure!.evidence!.text,
    /^what earlier attempts of codex_impl changed cannot be checked, so it cannot be done/,
  );
  const read = (file: string) => readFileSync(path.join(rig.project, file), 'utf8');
  assert.equal([read('docs/a.md'), read('.tmp/worktrees/fix/docs/a.md')], ['by a person\n', 'old\n']);
});

test('a crash right after the gate loses nothing: the answer is looked at again, and its changes seen', async ({
  rig,
}) => {
  rig.answer(() => [save('src/a.ts'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, SCOPED);
  const { file } = task.journal;
  const running = task.start();
  await waitWhile(() => !existsSync(file) || !readFileSync(file, 'utf8').includes('"fact":"gate"'));
  running.signal('SIGKILL'); // It may have ended by now.
  await running.result;
  const { code, report } = await task.run();
  const { state, gate } = report.stages[0]!;
  // Killed before or after it was written down as done: in no case is it paid again, or held to have changed nothing.
  assert.equal(
    [code, rig.calls.length, state === 'done' ? gate : state === 'done_earlier' ? 'passed' : state],
    [0, 1, 'passed'],
  );
});

test('an agent that takes its call out of the journal and kills its guardian is paid for all the same, and found', async ({
  rig,
}) => {
  rig.answer(() => [save('src/a.ts'), { do: 'hang' }]);
  const task = makeTask(rig, { stages: [IMPL] });
  const running = task.start();
  await waitWhile(() => !existsSync(path.join(rig.project, 'src/a.ts')));
  const { file } = task.journal;
  const [call] = openCalls(task.journal.read().ledger);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^.*"fact":"(?:reserved|started)".*\n/gm, ''));
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await waitWhile(() => !readFileSync(file, 'utf8').includes('"fact":"reserved"'));
  process.kill(rig.calls[0]!.report.pid, 'SIGKILL');
  const { code } = await running.result;
  const { ledger } = task.journal.read();
  assert.equal([code, ledger.used, rig.survivors().length], [1, 1, 0]);
  assert.is(task.failure()?.reason, 'judge_changed');
});

test('a call whose task is cleared away meanwhile counts, and the task is put back', async ({ rig }) => {
  const task = makeTask(rig, { stages: [REVIEW] });
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Look.\n');
  const running = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  rmSync(task.folder, { recursive: true });
  await fake.tell(...answerWith('codex', 'fine'));
  const { code } = await running.result;
  assert.equal([code, task.journal.read().ledger.used], [1, 1]);
  assert.is(task.read('inputs/user_request.md'), 'Look.\n');
});

test('resets that never help are not waited for again and again', async ({ rig }) => {
  rig.answer(() => failWith('codex', "You've hit your usage limit. Try again in 1 second.", 429));
  const { code, report } = await makeTask(rig, { stages: [REVIEW] }).run('--wait-for-reset=30s');
  assert.equal([code, rig.calls.length, report.failure?.class], [1, 2, 'quota']);
});

test('a digest that is the same prompt again is not paid for', async ({ rig }) => {
  rig.answer(() =>
    failWith(
      'codex',
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
      400,
    ),
  );
  const task = makeTask(rig, { stages: [REVIEW], context: { digest_policy: 'aggressive' } });
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 1]);
  assert.is(report.failure!.decision.why, 'its digest is the same prompt again');
});

test('--retry-dirty still continues in the session where there is one', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  const { opens, runsTool, fails }: Stream = STREAMS.codex;
  rig.answer(() =>
    rig.calls.length === 1
      ? [write([...opens(SESSION), ...runsTool('half'), ...fails(BUSY, 503, SESSION)]), { do: 'exit', code: 1 }]
      : answerWith('codex', 'whole'),
  );
  assert.is((await makeTask(rig, { stages: [REVIEW] }).run('--retry-dirty')).code, 0);
  assert.equal(rig.calls[1]!.report.argv.slice(0, 2), ['exec', 'resume']);
});

test('a budget is not changed while a call runs, and the command says so', async ({ rig }) => {
  rig.answer(() => [{ do: 'hang' }]);
  const task = makeTask(rig, { stages: [REVIEW] });
  const running = task.start();
  await waitWhile(() => openCalls(task.journal.read().ledger).length === 0);
  const { code, stderr } = await rig.run('tollgate', ['budget', 'fix', '--set', '20']);
  assert.is(code, 2);
  assert.match(
    stderr,
    'a call of stage codex_review is running, and what is changed meanwhile would be taken for its agent',
  );
  running.signal('SIGTERM');
  await running.result;
  assert.is((await rig.run('tollgate', ['budget', 'fix', '--set', '20'])).code, 0);
});

test("rules at the project's root guard no other file there", async ({ rig }) => {
  rig.write('AGENTS.md', 'Be kind.\n');
  rig.write('README.md', 'old\n');
  rig.write('tollgate.yaml', 'rules: AGENTS.md\n');
  rig.answer(() => [save('README.md'), ...answerWith('codex', 'done')]);
  assert.is((await makeTask(rig, { stages: [IMPL] }).run('--trust-workspace')).code, 0);
  rig.answer(() => [save('AGENTS.md'), save('src/a.ts'), ...answerWith('codex', 'done')]);
  const { report } = await makeTask(rig, { stages: [IMPL] }, 'two').run('--trust-workspace');
  assert.is(report.failure?.reason, 'judge_changed');
});

test('an answer that its gate refused is not asked for anew in silence when its prompt has changed', async ({
  rig,
}) => {
  rig.answer(() => answerWith('gemini', 'looks fine'));
  const verify = { stages: [{ tool: 'gemini', role: 'verify', ...ANY_ANSWER }] };
  const task = makeTask(rig, { ...verify, acceptance: { commands: ['nmp-test'] } });
  assert.is((await task.run()).code, 1);
  const mended = { task_id: 'fix', goal: 'Find out.', ...verify, acceptance: { commands: ['true'] } };
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(mended));
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 1]);
  assert.match(said, 'use --keep gemini_verify to check that answer again, or --redo gemini_verify to pay for another');
  assert.equal([(await task.run('--keep=gemini_verify')).code, rig.calls.length], [0, 1]);
});

test('an attempt that changed the tree without a word on tools is continued, and not begun anew', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  rig.answer(() =>
    rig.calls.length === 1 ? [save('src/a.ts'), ...failWith('codex', BUSY, 503)] : answerWith('codex', 'done'),
  );
  assert.is((await makeTask(rig, SCOPED).run()).code, 0);
  assert.match(rig.calls[1]!.report.stdin.text, 'Continue from where it stopped');
});

test('a gate that is stopped in the middle has found nothing: the next run looks at the answer again', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', 'fine'));
  const commands = ['test -e go || { touch began; exec sleep 600; }'];
  const task = makeTask(rig, { stages: [{ ...REVIEW, role: 'verify' }], acceptance: { commands } });
  const running = task.start();
  await waitWhile(() => !existsSync(path.join(rig.project, 'began')));
  running.signal('SIGINT');
  assert.equal([(await running.result).code, task.journal.read().ledger.gates.size], [130, 0]);
  rig.write('go', '');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('a call that its reservation refused is not one of the calls of its stage', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'fine'));
  const stages = ['one', 'two'].map((id) => ({ ...REVIEW, id }));
  const { code, report } = await makeTask(rig, { stages, budgets: { paid_call_budget: 1 } }).run();
  assert.equal(
    [code, report.failure?.reason, report.stages.map(({ calls }) => calls), report.budget.used],
    [1, 'budget', [1, 0], 1],
  );
});

const CHANGED_SINCE: [what: string, change: (rig: TestRig) => object, flags: string[], goal: string][] = [
  ['whose prompt has changed', () => ({ goal: 'Find out more.' }), [], 'Find out more.'],
  ['that another tool is asked for', () => ({ stages: [{ ...REVIEW, id: 'look', tool: 'copilot' }] }), [], 'Find out.'],
  [
    'whose session was given up',
    (rig) => {
      rig.write(
        '.tmp/state/sessions.json',
        '{"active_sessions":{},"given_up":{"codex":["SESSION"]}}'.replace('SESSION', SESSION),
      );
      return {};
    },
    [],
    'Find out.',
  ],
  ['that the user wants repeated', () => ({}), ['--redo=look'], 'Find out.'],
];
for (const [what, change, flags, goal] of CHANGED_SINCE)
  test(`a stage that was cut off after tools ran, ${what}, is asked its whole prompt, and not to continue`, async ({
    rig,
  }) => {
    rig.write('tollgate.yaml', NO_REST);
    const { opens, runsTool, fails }: Stream = STREAMS.codex;
    rig.answer(() => [
      write([...opens(SESSION), ...runsTool('half'), ...fails(BUSY, 503, SESSION)]),
      { do: 'exit', code: 1 },
    ]);
    const more = { stages: [{ ...REVIEW, id: 'look' }], budgets: { retry_budget: 0 } };
    const task = makeTask(rig, more);
    await task.run();
    const manifest = { task_id: 'fix', goal: 'Find out.', ...more, ...change(rig) };
    rig.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest));
    rig.answer(({ report: { tool } }) => answerWith(tool, 'whole'));
    assert.is((await task.run(...flags)).code, 0);
    const { argv, stdin } = rig.calls[1]!.report;
    assert.equal([[...argv, stdin.text].some((text) => text.includes(goal)), argv.includes('resume')], [true, false]);
    assert.not.match(stdin.text, 'Continue from where it stopped');
  });

const LOST_SESSION = `Error: thread/resume failed: no rollout found for thread id ${SESSION} (code -32600)`;
for (const [flags, calls] of [
  [[], 2],
  [['--retry-dirty'], 3],
] as const)
  test(`an attempt that ran tools and whose session is lost is ${flags.length === 0 ? 'not ' : ''}begun anew ${flags}`, async ({
    rig,
  }) => {
    rig.write('tollgate.yaml', NO_REST);
    const { opens, runsTool, fails }: Stream = STREAMS.codex;
    rig.answer(() =>
      rig.calls.length === 1
        ? [write([...opens(SESSION), ...runsTool('half'), ...fails(BUSY, 503, SESSION)]), { do: 'exit', code: 1 }]
        : rig.calls.length === 2
          ? [
              { do: 'write', to: 'stderr', text: `${LOST_SESSION}\n` },
              { do: 'exit', code: 1 },
            ]
          : answerWith('codex', 'whole'),
    );
    const { code, report } = await makeTask(rig, { stages: [REVIEW] }).run(...flags);
    assert.equal([code, rig.calls.length], [flags.length === 0 ? 1 : 0, calls]);
    assert.match(rig.calls[1]!.report.stdin.text, 'Continue from where it stopped');
    if (calls === 3) assert.match(rig.calls[2]!.report.stdin.text, 'Find out.');
    else
      assert.is(report.failure!.decision.why, 'an attempt had already run tools, and its session cannot be continued');
  });

test('an answer of another call is not taken for the one that was paid for', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'an answer to A'));
  const ask = (goal: string) => ({ task_id: 'fix', goal, stages: [{ ...REVIEW, requires: ['Findings'] }] });
  const task = makeTask(rig, ask('A'));
  await task.run();
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(ask('B')));
  rig.answer(() => answerWith('codex', '## Findings\n\nan answer to B\n'));
  await task.run('--redo=codex_review');
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(ask('A')));
  rig.answer(() => answerWith('codex', '## Findings\n\nan answer to A at last\n'));
  await task.run('--redo=codex_review');
  assert.equal(
    [rig.calls.length, task.read('outputs/codex_review.codex.out')],
    [3, '## Findings\n\nan answer to A at last\n'],
  );
});

test('what changed since a run that was killed is told, and not put back', async ({ rig }) => {
  rig.write('notes.txt', 'old\n');
  const task = makeTask(rig, SCOPED);
  const running = task.start('--restore');
  const fake = await rig.call();
  await fake.tell(save('src/a.ts'));
  running.signal('SIGKILL');
  await running.result;
  await fake.tell(...answerWith('codex', 'done'));
  rig.write('notes.txt', 'by a person\n');
  const { report, summary } = await task.run('--restore');
  assert.equal([report.failure?.class, rig.calls.length], ['scope_violation', 1]);
  assert.is(readFileSync(path.join(rig.project, 'notes.txt'), 'utf8'), 'by a person\n');
  assert.match(summary, 'an earlier run of this stage was killed');
});

test('a stop in the first moment is a stop, and no broken wrapper', async ({ rig }) => {
  rig.answer(() => [{ do: 'hang' }]);
  const task = makeTask(rig, { stages: [REVIEW] });
  const running = task.start();
  await running.says(/call 1/);
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  assert.is(task.failure()?.reason, 'cancelled');
  // It counts if it got as far as to have a folder, from which it is called; and not if it did not.
  const attempts = path.join(task.folder, 'state/attempts');
  const begun = existsSync(attempts) ? readdirSync(attempts).length : 0;
  assert.ok(task.journal.read().ledger.used <= begun);
});

test('a guardian that is killed before it pays is started again, as often as a failed call is', async ({ rig }) => {
  const killing = (once: string) => {
    rig.uninstall('codex');
    // Its guardian looks up the version before it reserves the call.
    const kill = `#!/bin/sh\n[ "$1" = --version ] && ${once}kill -9 $PPID && exit`;
    const file = path.join(rig.bin, 'codex');
    writeFileSync(file, readFileSync('test/rig/noop-cli.sh', 'utf8').replace('#!/bin/sh', kill), { mode: 0o755 });
    return makeTask(rig, { stages: [REVIEW] });
  };
  const always = killing('');
  assert.is((await always.run()).code, 1);
  assert.is(always.failure()?.reason, 'wrapper_failed');
  const once = killing(`mkdir ${path.join(rig.root, 'killed')} && `);
  const { code, said } = await once.run();
  assert.equal([code, once.journal.read().ledger.used], [0, 1]);
  assert.match(said, /ended by SIGKILL and wrote no record; nothing was paid, and the call is tried again/);
});

test.run();
