// What an answer says under "Verdict" is a fact of its stage: in the journal, in every report, and over reruns.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionLine } from '../../policies/facts/next-action.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('verdict');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review' };
const judging = (verdict: string) => `## Findings\n\n- one\n- two\n- three\n\n## Verdict\n\n${verdict}\n`;

/** Every view of the one stage after a run. */
async function viewsOf(task: TestTask, ...flags: string[]) {
  const { code, report, summary } = await task.run(...flags);
  const [stage] = report.stages;
  const row = summary.split('\n').find((line) => line.startsWith('| codex_review'));
  return [code, report.state, stage!.state, stage!.verdict, row?.split('|').at(-2)?.trim()];
}

test('a FAIL that stops nothing is still reported by the reruns that skip its stage', async ({ rig }) => {
  rig.answer(() => answerWith('codex', judging('FAIL')));
  const task = makeTask(rig, { stages: [REVIEW] });
  assert.equal(await viewsOf(task), [0, 'done', 'done', 'FAIL', 'FAIL']);
  assert.is(task.journal.read().ledger.gates.get('codex_review')?.verdict, 'FAIL');
  for (let runs = 0; runs < 2; runs++) assert.equal(await viewsOf(task), [0, 'done', 'done_earlier', 'FAIL', 'FAIL']);
  assert.match(task.read('outputs/_summary.md'), 'Note: codex_review: its verdict is FAIL');
  assert.is(rig.calls.length, 1);
});

for (const [said, verdict, note] of [
  ['PASS', 'PASS', false],
  ['It depends.', null, true],
] as const)
  test(`"${said}" is ${verdict}, first and later`, async ({ rig }) => {
    rig.answer(() => answerWith('codex', judging(said)));
    const task = makeTask(rig, { stages: [REVIEW] });
    // Without any verdict there is no column of them, and the paid calls stand last.
    const shown = (calls: number) => verdict ?? String(calls);
    assert.equal(await viewsOf(task), [0, 'done', 'done', verdict, shown(1)]);
    assert.is(/says neither PASS nor FAIL/.test(task.read('outputs/_summary.md')), note);
    for (let runs = 0; runs < 2; runs++) {
      assert.equal(await viewsOf(task), [0, 'done', 'done_earlier', verdict, shown(0)]);
      assert.is(/Note: codex_review: it says neither PASS nor FAIL/.test(task.read('outputs/_summary.md')), note);
    }
    const strict = verdict === null ? [1, 'failed'] : [0, 'done'];
    assert.equal(await viewsOf(task, '--fail-on-verdict'), [...strict, 'done_earlier', verdict, shown(0)]);
    assert.is(rig.calls.length, 1);
  });

test('a journal of an older version says nothing of verdicts', async ({ rig }) => {
  rig.answer(() => answerWith('codex', judging('FAIL')));
  const task = makeTask(rig, { stages: [REVIEW] });
  await task.run();
  const { file } = task.journal;
  writeFileSync(file, readFileSync(file, 'utf8').replace(',"verdict":"FAIL"', ''));
  rmSync(path.join(task.folder, 'state/stats.json'));
  assert.equal(await viewsOf(task), [0, 'done', 'done_earlier', null, '0']);
});

const STOPPED = [1, 'failed', 'failed', 'FAIL', 'FAIL'];
const NOTED = [0, 'done', 'done', 'FAIL', 'FAIL'];
const POLICIES: [what: string, stage: object, project: string | null, expected: unknown[]][] = [
  ["the project's review stops", REVIEW, 'roles: {review: {on_fail: stop}}\n', STOPPED],
  ['the stage has the last word', { ...REVIEW, on_fail: 'note' }, 'roles: {review: {on_fail: stop}}\n', NOTED],
  [
    'a verify that is told to notes it',
    { tool: 'codex', role: 'verify', id: 'codex_review', on_fail: 'note' },
    null,
    NOTED,
  ],
  [
    "a role of the project's own",
    { tool: 'codex', role: 'audit', id: 'codex_review' },
    'roles: {audit: {template: audit.md, requires: [Verdict], on_fail: stop}}\n',
    STOPPED,
  ],
];
for (const [what, stage, project, expected] of POLICIES)
  test(`on_fail: ${what}`, async ({ rig }) => {
    rig.answer(() => answerWith('codex', judging('FAIL')));
    rig.write('audit.md', 'Audit it.\n');
    if (project !== null) rig.write('tollgate.yaml', project);
    const task = makeTask(rig, { stages: [stage], security: { trust_workspace: true } });
    assert.equal(await viewsOf(task), expected);
  });

test('a FAIL that stops is not passed by a rerun, nor paid again; on_fail: note accepts it', async ({ rig }) => {
  rig.answer(() => answerWith('codex', judging('FAIL')));
  const task = makeTask(rig, { stages: [{ ...REVIEW, on_fail: 'stop' }] });
  for (let runs = 0; runs < 2; runs++) {
    assert.equal(await viewsOf(task), STOPPED);
    const { class: errorClass, reason, signature, next_actions } = task.failure()!;
    assert.equal([errorClass, reason, rig.calls.length], ['contract_violation', 'verdict_fail', 1]);
    assert.match(signature!, /^v1:/);
    assert.match(next_actions.map(actionLine).join('\n'), 'tollgate run fix --redo codex_review');
  }
  const accepted = { task_id: 'fix', goal: 'Find out.', stages: [{ ...REVIEW, on_fail: 'note' }] };
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(accepted));
  assert.equal([await viewsOf(task), rig.calls.length], [NOTED, 1]);
});

test('on_fail: stop is not passed by what is neither PASS nor FAIL', async ({ rig }) => {
  rig.answer(() => answerWith('codex', judging('The verdict is FAIL')));
  const stage = { tool: 'codex', role: 'verify', id: 'codex_review' };
  const task = makeTask(rig, { stages: [stage] });
  for (let runs = 0; runs < 2; runs++) {
    const { code, report } = await task.run();
    assert.equal([code, report.state, report.stages[0]!.state], [1, 'failed', 'failed']);
    const { verdict, class: errorClass, reason, gate } = report.stages[0]!;
    assert.equal([verdict, errorClass, reason, gate], [null, 'contract_violation', 'verdict_missing', 'failed']);
    assert.is(existsSync(path.join(task.folder, 'done/codex_review.done')), false);
  }
  const { evidence, missing, next_actions } = task.failure()!;
  assert.match(evidence!.text, 'its section "Verdict" must be PASS or FAIL and nothing else');
  assert.equal(missing, ['a verdict of PASS or FAIL']);
  assert.match(next_actions.map(actionLine).join('\n'), 'tollgate run fix --redo codex_review');
  assert.match(next_actions.map(actionLine).join('\n'), '`on_fail: note` of the stage');
  setStage(rig, { ...stage, on_fail: 'note' });
  assert.equal([(await task.run()).report.state, rig.calls.length], ['done', 1]);
});

test('on_fail: stop asks for no verdict where the answer owes none', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'All is done.'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'verify', ...ANY_ANSWER }] });
  for (let runs = 0; runs < 2; runs++) assert.is((await task.run('--fail-on-verdict')).code, 0);
});

test('a section "Verdict" that is missing is told once', async ({ rig }) => {
  rig.answer(() => answerWith('codex', '## Findings\n\n- one\n- two\n- three\n'));
  const { report } = await makeTask(rig, { stages: [{ tool: 'codex', role: 'verify' }] }).run();
  assert.equal(
    report.failure?.findings?.map(({ reason }) => reason),
    ['missing_sections'],
  );
});

/** A person edits the manifest. */
const setStage = (rig: TestRig, stage: object) =>
  rig.write(
    '.tmp/task/fix/manifest.json',
    JSON.stringify({ task_id: 'fix', goal: 'Find out.', stages: [{ ...REVIEW, ...stage }] }),
  );

for (const [said, verdict, reason] of [
  ['FAIL', 'FAIL', 'verdict_fail'],
  ['FAILED', null, 'verdict_missing'],
] as const)
  test(`on_fail: stop that is said later stops a review that is done with ${said}, and pays nothing`, async ({
    rig,
  }) => {
    rig.answer(() => answerWith('codex', judging(said)));
    const task = makeTask(rig, { stages: [REVIEW] });
    assert.is((await task.run()).code, 0);
    setStage(rig, { on_fail: 'stop' });
    for (let runs = 0; runs < 2; runs++) {
      const { code, report } = await task.run();
      const [stage] = report.stages;
      assert.equal(
        [code, report.state, stage!.state, stage!.verdict, stage!.reason, report.failure?.reason],
        [1, 'failed', 'failed', verdict, reason, reason],
      );
      assert.is(existsSync(path.join(task.folder, 'done/codex_review.done')), false);
    }
    setStage(rig, { on_fail: 'note' });
    for (const state of ['done', 'done_earlier']) {
      const { code, report } = await task.run();
      assert.equal([code, report.stages[0]!.state, report.stages[0]!.verdict], [0, state, verdict]);
    }
    assert.is(rig.calls.length, 1);
  });

test('on_fail: stop that is said later leaves a PASS done', async ({ rig }) => {
  rig.answer(() => answerWith('codex', judging('PASS')));
  const task = makeTask(rig, { stages: [REVIEW] });
  await task.run();
  setStage(rig, { on_fail: 'stop' });
  assert.equal(await viewsOf(task), [0, 'done', 'done_earlier', 'PASS', 'PASS']);
});

test('--fail-on-verdict: a run whose stages are all done ends with 1 and names those that say FAIL', async ({
  rig,
}) => {
  rig.answer((call) => answerWith(call.report.tool, judging('FAIL')));
  const task = makeTask(rig, {
    stages: [REVIEW, { ...REVIEW, tool: 'gemini' }, { ...REVIEW, id: 'other', ...ANY_ANSWER }],
  });
  const { code, report, summary } = await task.run('--fail-on-verdict');
  assert.equal(
    [code, report.state, report.exit_code, report.stages.map(({ state }) => state)],
    [1, 'failed', 1, ['done', 'done', 'done']],
  );
  assert.equal([report.failure?.stage, report.failure?.reason], ['codex_review', 'verdict_fail']);
  assert.is(report.failure?.evidence?.text, 'the verdict of codex_review, gemini_review, other is FAIL');
  assert.match(summary, '# Task fix: failed at codex_review, contract_violation (verdict_fail)');
  assert.is((await task.run('--fail-on-verdict', '--exit-by-class')).code, 65);
  assert.equal([(await task.run()).code, task.failure()?.resolved_at === null, rig.calls.length], [0, false, 3]);
});

test('--fail-on-verdict: a verdict that is owed and missing is named beside those that say FAIL', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, judging(call.report.tool === 'codex' ? 'FAILED' : 'FAIL')));
  const free = { ...REVIEW, id: 'free', ...ANY_ANSWER };
  const both = makeTask(rig, { stages: [REVIEW, { ...REVIEW, tool: 'gemini' }, free] }, 'both');
  const { report } = await both.run('--fail-on-verdict');
  assert.equal([report.failure?.stage, report.failure?.reason], ['gemini_review', 'verdict_fail']);
  assert.is(
    report.failure?.evidence?.text,
    'the verdict of gemini_review is FAIL; no verdict of codex_review is recorded, neither PASS nor FAIL',
  );
  assert.match(
    report.next_actions.map(actionLine).join('\n'),
    'for 2 paid calls: `tollgate run both --fail-on-verdict --redo gemini_review --redo codex_review`',
  );
  const alone = makeTask(rig, { stages: [REVIEW] }, 'alone');
  for (let runs = 0; runs < 2; runs++) {
    const { code, report, summary } = await alone.run('--fail-on-verdict');
    assert.equal(
      [code, report.state, report.failure?.stage, report.failure?.reason],
      [1, 'failed', 'codex_review', 'verdict_missing'],
    );
    assert.match(summary, 'no verdict of codex_review is recorded, neither PASS nor FAIL');
  }
  assert.is(rig.calls.length, 4);
});

test('--fail-on-verdict: who waits for another run is told its own answer', async ({ rig }) => {
  const task = makeTask(rig, { stages: [REVIEW] });
  const first = task.start();
  const fake = await rig.call();
  const second = task.start('--fail-on-verdict');
  await second.says(/waiting for it/);
  await fake.tell(...answerWith('codex', judging('FAIL')));
  const [one, two] = await Promise.all([first.result, second.result]);
  assert.equal([one.code, two.code], [0, 1]);
  assert.match(JSON.parse(two.stdout).message, 'the verdict of codex_review is FAIL');
});

test.run();
