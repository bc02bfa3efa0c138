// The ways out that a summary names, walked: by hand without a paid call, or by the stage that writes, with what was found in its prompt.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('feedback');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGES = [
  { tool: 'codex', role: 'impl', ...ANY_ANSWER },
  { tool: 'gemini', role: 'verify' },
];
const JUDGED = '## Findings\n\n- none\n- at all\n- here\n\n## Verdict\n\nPASS\n';

test('what acceptance found goes to the stage that writes, and the line that the summary names mends it', async ({
  rig,
}) => {
  const texts = ['wrong\n', 'right\n'];
  rig.answer((call) => {
    if (call.report.tool === 'gemini') return answerWith('gemini', JUDGED);
    const text = texts.shift()!;
    return [{ do: 'save', file: 'src/a.txt', text }, ...answerWith('codex', 'done')];
  });
  const acceptance = { commands: ["grep right src/a.txt || { echo 'a.txt is not right'; exit 3; }"] };
  const task = makeTask(rig, { stages: STAGES, acceptance });
  const first = await task.run();
  assert.equal(
    [first.code, first.report.failure?.stage, first.report.failure?.reason, rig.calls.length],
    [1, 'gemini_verify', 'acceptance_failed', 2],
  );
  const log = path.join(task.folder, 'outputs/gemini_verify.acceptance.log');
  assert.equal(first.report.next_actions.slice(0, 3).map(actionLine), [
    `find the cause in ${log}, which has the whole output`,
    'fix what fails, then run the acceptance commands again (free): `tollgate run fix`',
    'let codex_impl fix it (its prompt gets the end of that log; 2 paid calls): `tollgate run fix --redo codex_impl --redo gemini_verify`',
  ]);
  const [, , ...flags] = first.report.next_actions[2]!.command!.split(' ').slice(1);
  const second = await task.run(...flags);
  assert.equal([second.code, second.report.state, rig.calls.length], [0, 'done', 4]);
  const [asked, , redone, judged] = rig.calls.map(({ report }) => report.stdin.text);
  assert.not.match(asked!, 'a.txt is not right');
  assert.match(
    redone!,
    /the acceptance commands failed \(stage gemini_verify\)[\s\S]*\na\.txt is not right\n===== end /,
  );
  assert.match(redone!, 'Find out.');
  assert.not.match(judged!, 'the acceptance commands failed');
  // It is done by its own prompt: what was given beside it does not make it another one.
  assert.equal([(await task.run()).code, rig.calls.length], [0, 4]);
});

test('what is given of a long log is said, and keeps to what the tool takes', async ({ rig }) => {
  rig.write('tollgate.yaml', 'prompts: {max_chars: {codex: 12000}}\n');
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? answerWith('gemini', JUDGED)
      : [{ do: 'save', file: `src/${rig.calls.length}.txt`, text: 'x\n' }, ...answerWith('codex', 'done')],
  );
  const acceptance = { commands: ['seq 1000000 1003000; exit 3'] };
  const task = makeTask(rig, { stages: STAGES, acceptance });
  await task.run();
  await task.run('--redo', 'codex_impl', '--redo', 'gemini_verify');
  const redone = rig.calls[2]!.report.stdin.text;
  assert.match(redone, /this is the end \([\d,]+ of [\d,]+ characters\) of their log:/);
  assert.ok(redone.includes('1003000') && !redone.includes('1000001'));
  assert.ok(redone.length > 11_000 && redone.length <= 12_000, `${redone.length}`);
});

test('a verdict about earlier work asks for the judge alone, and for the budget that this needs', async ({ rig }) => {
  const verdicts = ['FAIL', 'PASS'];
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? answerWith('gemini', JUDGED.replace('PASS', verdicts.shift()!))
      : [{ do: 'save', file: `src/${rig.calls.length}.txt`, text: 'x\n' }, ...answerWith('codex', 'done')],
  );
  const task = makeTask(rig, { stages: STAGES, budgets: { paid_call_budget: 3 } });
  const first = await task.run();
  assert.equal(first.report.next_actions.slice(1).map(actionLine), [
    'fix what they name, and have it checked again by gemini, for one paid call: `tollgate run fix --redo gemini_verify`',
    'only if the user allows more paid calls: raise the limit, and let codex_impl fix it (its prompt gets those findings; 2 paid calls): `tollgate budget fix --set 4 && tollgate run fix --redo codex_impl --redo gemini_verify`',
  ]);
  const mended = await task.run('--redo', 'codex_impl');
  assert.equal([mended.code, mended.report.failure?.reason, rig.calls.length], [1, 'verdict_fail', 3]);
  assert.equal(mended.report.next_actions.map(actionLine), [
    'ask the user whether this task may pay for more calls',
    'only if the user allows more paid calls: raise the limit, and have the new work checked: this verdict is about earlier work, because codex_impl has answered again (one paid call): `tollgate budget fix --set 4 && tollgate run fix --redo gemini_verify`',
  ]);
  const over = await task.run('--redo', 'gemini_verify');
  assert.equal([over.report.failure?.reason, over.report.next_actions], ['budget', mended.report.next_actions]);
  assert.match(over.report.failure!.evidence!.text, /^contract_violation \(verdict_fail\): .*; then the budget: /);
  assert.is((await rig.run('tollgate', ['budget', 'fix', '--set', '4'])).code, 0);
  assert.equal([(await task.run('--redo', 'gemini_verify')).code, rig.calls.length], [0, 4]);
});

test('what is mended by hand is looked at again without a paid call', async ({ rig }) => {
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? answerWith('gemini', JUDGED)
      : [{ do: 'save', file: 'src/a.txt', text: 'wrong\n' }, ...answerWith('codex', 'done')],
  );
  const task = makeTask(rig, { stages: STAGES, acceptance: { commands: ['grep right src/a.txt'] } });
  assert.is((await task.run()).report.failure?.reason, 'acceptance_failed');
  rig.write('src/a.txt', 'right\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 2]);
});

test('headings that are put right in the answer count, and so do others that the manifest requires', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', '## Findings\n\n- one\n- two\n- three\n\n## Result\n\nPASS\n'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const { report } = await task.run();
  assert.match(report.failure!.evidence!.text, 'lacks the section "Verdict"; its headings are "Findings", "Result"');
  const answer = path.join(task.folder, 'outputs/codex_review.codex.out');
  assert.match(report.next_actions[1]!.text, `if the requested content is in ${answer} under another heading`);
  writeFileSync(answer, task.read('outputs/codex_review.codex.out').replace('## Result', '## Verdict'));
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
  const other = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] }, 'other');
  assert.is((await other.run()).code, 1);
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review', requires: ['Findings', 'Result'] }] }, 'other');
  assert.equal([(await other.run('--keep', 'codex_review')).code, rig.calls.length], [0, 2]);
});

test.run();
