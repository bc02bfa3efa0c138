// A finished task looked at again on the tree as it is: nothing is paid, and what is broken by now is told.

import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('recheck');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('src/a.txt', 'right\n');
  context.rig.answer(() => answerWith('codex', '## Verdict\n\nPASS\n'));
});
test.after.each(({ rig }) => rig.dispose());

const VERIFY = { tool: 'codex', role: 'verify', ...ANY_ANSWER };
const GUARDED = { stages: [VERIFY], acceptance: { commands: ['grep -q right src/a.txt'] } };

test('code that broke since is found, without a paid call; mended code passes again', async ({ rig }) => {
  const task = makeTask(rig, GUARDED);
  assert.is((await task.run()).code, 0);
  const [first] = (await task.run()).report.stages;
  assert.equal([first!.state, first!.checked_by], ['done_earlier', 'earlier_run']);

  rig.write('src/a.txt', 'wrong\n');
  const plain = await task.run();
  assert.is(plain.code, 0);
  assert.match(plain.summary, /\| codex_verify \| done earlier \(20[\d-]+T[\d:]+Z\) \|/);
  assert.match(plain.summary, /Note: every result is of an earlier run \(the last of .*`tollgate run fix --recheck`/);
  const broken = await task.run('--recheck');
  const [stage] = broken.report.stages;
  assert.equal(
    [broken.code, broken.report.failure?.reason, stage!.state, stage!.gate, stage!.checked_by, rig.calls.length],
    [1, 'acceptance_failed', 'failed', 'failed', 'last_run', 1],
  );
  assert.not(existsSync(path.join(task.folder, 'state/done/codex_verify.done')));
  const next = broken.report.next_actions.find(({ command }) => command !== undefined)!;
  assert.equal([next.command, next.pays], ['tollgate run fix --recheck', false]);
  // It is open now: no run takes it for done, and none pays for its answer again.
  assert.equal([(await task.run()).code, (await task.run('--recheck')).code, rig.calls.length], [1, 1, 1]);

  rig.write('src/a.txt', 'right again\n');
  const mended = await task.run('--recheck');
  assert.equal(
    [mended.code, mended.report.stages[0]!.state, mended.report.stages[0]!.checked_by, rig.calls.length],
    [0, 'done_earlier', 'last_run', 1],
  );
  assert.match(mended.summary, 'done earlier, passed again');
  assert.match(mended.summary, 'Acceptance passed: `grep -q right src/a.txt`');
  assert.is(task.failure()!.resolved_at === null, false);
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('a stage that writes: what it changed then is not judged again, and a plain run mends it too', async ({ rig }) => {
  rig.answer(() => [{ do: 'save', file: 'src/b.txt', text: 'made\n' }, ...answerWith('codex', 'done')]);
  const task = makeTask(rig, {
    stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }, VERIFY],
    scope: { allow: ['src/**'] },
    acceptance: { commands: ['test -f src/b.txt'] },
  });
  assert.is((await task.run()).code, 0);
  // Out of the scope of the task, and no work of its agent.
  rig.write('elsewhere.txt', 'by a person\n');
  const again = await task.run('--recheck');
  assert.equal([again.code, rig.calls.length], [0, 2], again.summary);
  rmSync(path.join(rig.project, 'src/b.txt'));
  assert.equal([(await task.run('--recheck')).report.failure?.stage, rig.calls.length], ['codex_verify', 2]);
  rig.write('src/b.txt', 'made by hand\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 2]);
});

test('an answer that was edited or taken away since does not pass', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', requires: ['Verdict'], min_lines: 0 }] });
  assert.is((await task.run()).code, 0);
  const answer = path.join(task.folder, 'outputs/codex_review.codex.out');
  const text = readFileSync(answer, 'utf8');
  rig.write(path.relative(rig.project, answer), 'nothing\n');
  assert.is((await task.run('--recheck')).report.failure?.reason, 'missing_sections');
  rig.write(path.relative(rig.project, answer), text);
  assert.is((await task.run('--recheck')).code, 0);
  rmSync(answer);
  assert.equal([(await task.run('--recheck')).report.failure?.reason, rig.calls.length], ['answer_unreadable', 1]);
});

for (const [what, lose] of [
  ['gone', rmSync],
  ['empty', (file: string) => writeFileSync(file, '')],
] as const)
  test(`a finished stage whose answer is ${what} is not done, and nothing is paid for it`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [VERIFY] });
    assert.is((await task.run()).code, 0);
    lose(path.join(task.folder, 'outputs/codex_verify.codex.out'));
    const { code, report } = await task.run();
    assert.equal([code, report.failure?.class, rig.calls.length], [1, 'contract_violation', 1]);
    assert.ok(report.next_actions.some(({ command }) => command?.includes('--redo')));
  });

test('a prompt that has changed since is no matter: its answer is looked at', async ({ rig }) => {
  const attach = { stages: [{ ...VERIFY, attach: ['src/a.txt'] }], acceptance: GUARDED.acceptance };
  const task = makeTask(rig, attach);
  assert.is((await task.run()).code, 0);
  rig.write('src/a.txt', 'right, and longer\n');
  assert.is((await task.run()).code, 2);
  assert.equal([(await task.run('--recheck')).code, rig.calls.length], [0, 1]);
});

test('a task that is not finished is refused: nothing is paid for, and what its last run came to stays', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', 'nothing'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const refused = await task.outcome('--recheck');
  assert.equal([refused.code, rig.calls.length, task.journal.read().ledger.used], [2, 0, 0]);
  assert.match(refused.stderr, 'stage codex_review is not finished, and --recheck pays for nothing');
  assert.match(refused.stderr, 'to continue the task: tollgate run fix');
  const { report, summary } = await task.run();
  assert.is(report.failure?.reason, 'missing_sections');
  assert.equal([(await task.outcome('--recheck')).code, rig.calls.length], [2, 1]);
  assert.equal([task.failure()?.reason, task.read('outputs/_summary.md')], ['missing_sections', summary]);
  const batch = await rig.run('tollgate', ['batch', 'fix', '--recheck', '--json']);
  assert.is(batch.code, 1);
  assert.not.match(JSON.stringify(JSON.parse(batch.stdout).next_actions), 'recheck');
});

test('an answer that is older than the tree is looked at again, without a paid call', async ({ rig }) => {
  const words = ['right', 'wrong', 'right', 'right'];
  rig.answer(({ report }) => {
    const isImpl = report.argv.join(' ').includes('workspace-write');
    return isImpl
      ? [{ do: 'save', file: 'src/a.txt', text: `${words.shift()} ${words.length}\n` }, ...answerWith('codex', 'done')]
      : answerWith('codex', '## Verdict\n\nPASS\n');
  });
  const task = makeTask(rig, {
    stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }, VERIFY],
    scope: { allow: ['src/**'] },
    acceptance: GUARDED.acceptance,
  });
  assert.is((await task.run()).code, 0);
  const broken = await task.run('--redo=codex_impl');
  assert.equal(
    [broken.code, broken.report.failure?.reason, broken.report.failure?.stage, rig.calls.length],
    [1, 'acceptance_failed', 'codex_verify', 3],
  );
  const again = await task.run('--redo=codex_impl');
  assert.equal([again.code, rig.calls.length], [0, 4], again.summary);
  const more = await task.run('--redo=codex_impl');
  assert.equal([more.code, rig.calls.length, more.report.stages[1]!.checked_by], [0, 5, 'last_run']);
  assert.match(more.summary, 'codex_verify was answered before codex_impl worked on the tree again');
});

test('an answer that is kept passes the acceptance commands that are there now, or does not count', async ({ rig }) => {
  const task = makeTask(rig, GUARDED);
  assert.is((await task.run()).code, 0);
  makeTask(rig, { ...GUARDED, acceptance: { commands: ['test -f src/none.txt'] } });
  const kept = await task.run('--keep-all');
  assert.equal([kept.code, kept.report.failure?.reason, rig.calls.length], [1, 'acceptance_failed', 1]);
  assert.is((await task.run()).code, 1);
});

test('--redo all repeats each stage but those that are kept, also by the next run where this one ends before them', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [{ ...VERIFY, role: 'brief' }, VERIFY] });
  assert.is((await task.run()).code, 0);
  rig.uninstall('codex');
  const missing = await task.run('--redo=all');
  assert.equal([missing.report.failure?.reason, rig.calls.length], ['binary_missing', 2]);
  assert.equal(
    missing.report.stages.map(({ state }) => state),
    ['failed', 'pending'],
  );
  rig.install('codex');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 4]);
  assert.equal([(await task.run()).code, rig.calls.length], [0, 4]);
  assert.equal([(await task.run('--redo=all', '--keep=codex_brief')).code, rig.calls.length], [0, 5]);
});

test('what contradicts it is refused before anything is done', async ({ rig }) => {
  const task = makeTask(rig, GUARDED);
  for (const [flag, said] of [
    ['--redo=codex_verify', '--recheck and --redo contradict each other'],
    ['--keep-all', '--recheck and --keep-all contradict each other'],
    ['--dry-run', 'there is nothing for --dry-run to show'],
  ] as const) {
    const { code, stderr } = await task.outcome('--recheck', flag);
    assert.is(code, 2);
    assert.match(stderr, said);
  }
  assert.is(rig.calls.length, 0);
});

test('acceptance commands that no stage runs are reported, and --recheck runs them', async ({ rig }) => {
  const task = makeTask(rig, {
    stages: [{ ...VERIFY, role: 'brief' }],
    acceptance: { commands: ['grep -q right src/a.txt'] },
  });
  const first = await task.run();
  assert.is(first.code, 0);
  assert.match(first.summary, 'acceptance.commands run after a stage with the role verify, and this task has none');
  assert.is((await task.run('--recheck')).code, 0);
  rig.write('src/a.txt', 'wrong\n');
  const broken = await task.run('--recheck');
  assert.equal([broken.code, broken.report.failure?.reason, rig.calls.length], [1, 'acceptance_failed', 1]);
  rig.write('src/a.txt', 'right\n');
  assert.equal([(await task.run('--recheck')).code, rig.calls.length], [0, 1]);
});

test('a verdict in the JSON of a schema is read again', async ({ rig }) => {
  const schema = { type: 'object', properties: { verdict: { enum: ['PASS', 'FAIL'] } }, required: ['verdict'] };
  rig.answer(() => answerWith('codex', '{"verdict":"FAIL"}'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', schema }] });
  assert.equal([(await task.run('--fail-on-verdict')).code, (await task.run()).code], [1, 0]);
  const { code, report } = await task.run('--recheck', '--fail-on-verdict');
  assert.equal(
    [code, report.failure?.reason, report.stages[0]!.verdict, rig.calls.length],
    [1, 'verdict_fail', 'FAIL', 1],
  );
  assert.is((await task.run('--recheck')).code, 0);
});

test('a recheck that is killed loses nothing, and the next one says what is broken', async ({ rig }) => {
  const command = `test ! -e src/wait || { : > '${rig.root}/waiting'; sleep 600; }; grep -q right src/a.txt`;
  const task = makeTask(rig, { stages: [VERIFY], acceptance: { commands: [command] } });
  assert.is((await task.run()).code, 0);
  rig.write('src/a.txt', 'wrong\n');
  rig.write('src/wait', '');
  const watcher = watch(rig.root);
  const waits = once(watcher, 'change');
  const killed = task.start('--recheck');
  await waits;
  watcher.close();
  process.kill(killed.pid, 'SIGKILL');
  await killed.result;
  rmSync(path.join(rig.project, 'src/wait'));
  assert.equal(
    [(await task.run('--recheck')).report.failure?.reason, (await task.run()).code, rig.calls.length],
    ['acceptance_failed', 1, 1],
  );
});

test('a batch looks at each finished task again, and reports say whose result it is', async ({ rig }) => {
  makeTask(rig, GUARDED, 'a');
  makeTask(rig, { stages: [VERIFY] }, 'b');
  assert.is((await rig.run('tollgate', ['batch', 'a', 'b'])).code, 0);
  const junit = async () => (await rig.run('tollgate', ['report', '--format', 'junit'])).stdout;
  // The newest run comes first, and the second batch may end its two runs in another order.
  const timestamps = (text: string) => [...text.matchAll(/ timestamp="([^"]+)"/g)].map(([, at]) => at).sort();
  const before = await junit();
  assert.not.match(before, 'earlier run');
  assert.is((await rig.run('tollgate', ['batch', 'a', 'b'])).code, 0);
  const after = await junit();
  assert.equal(timestamps(after), timestamps(before));
  assert.match(after, /<system-out>.*this is the result of an earlier run, of 20/s);
  for (const format of ['text', 'md', 'html'])
    assert.match((await rig.run('tollgate', ['report', '--format', format])).stdout, 'done (earlier run)', format);
  assert.match(
    (await rig.run('tollgate', ['report', '--format', 'html'])).stdout,
    /<td>done \(earlier run, 20[\d-]+T[\d:]+Z\)<\/td>/,
  );

  rig.write('src/a.txt', 'wrong\n');
  const { code, stdout } = await rig.run('tollgate', ['batch', 'a', 'b', '--recheck', '--json']);
  const states = JSON.parse(stdout).tasks.map(({ task_id, state }: { task_id: string; state: string }) => [
    task_id,
    state,
  ]);
  assert.equal(
    [code, states, rig.calls.length],
    [
      1,
      [
        ['a', 'failed'],
        ['b', 'done'],
      ],
      2,
    ],
  );
  const red = await junit();
  assert.match(red, /<failure type="contract_violation\/acceptance_failed"/);
  assert.not.match(red, 'earlier run');
});

test.run();
