// An agent that charges calls to its own task from within its call: as many as the manifest allows, and the report says so.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownGroup } from '../../wrappers/processes/cgroup.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('nested calls');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const hasGroup = ownGroup()?.group != null;
const inGroup = hasGroup ? test : test.skip;
if (!hasGroup) console.log('SKIPPED: no cgroup of version 2 can be made here');

const SCRIPT = path.resolve(import.meta.dirname, '../../dist/run_codex.cjs');

/** A call that the agent makes by itself. @param shed words before it, such as what takes the marker off. */
async function callWithin(rig: TestRig, fake: FakeCall, n: number, shed: string[] = []): Promise<string> {
  const said = path.join(rig.root, `said-${n}`);
  const files = [
    `--prompt-file=${rig.write('ask.md', 'hi\n')}`,
    `--out=${rig.root}/${n}.out`,
    `--err=${rig.root}/${n}.err`,
  ];
  await fake.tell({ do: 'run', argv: [...shed, process.execPath, SCRIPT, ...files, '--task=fix'], to: said });
  return readFileSync(said, 'utf8');
}

for (const [budgets, shed, made, refusal] of [
  [
    {},
    [],
    0,
    /whose agent may charge none to task fix; nothing was started\. Leave --task out, or have budgets\.nested_calls/,
  ],
  [{}, ['env', '-u', 'TOLLGATE_CALL_ID', '-u', 'GEMINI_CLI_TOLLGATE_CALL_ID'], 0, /may charge none to task fix/],
  [{ nested_calls: 1 }, [], 1, /may charge 1, which are used up to task fix/],
  [{ nested_calls: 5, paid_call_budget: 2 }, [], 1, /the budget of task fix is used up: 2 of 2 paid calls/],
] as const)
  test(`an agent${shed.length > 0 ? ' without its marker' : ''} with ${JSON.stringify(budgets)} makes ${made}`, async ({
    rig,
  }) => {
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }], budgets });
    const running = task.run();
    const fake = await rig.call();
    rig.answer(() => answerWith('codex', 'within'));
    const said = [];
    for (let n = 0; n <= made; n += 1) said.push(await callWithin(rig, fake, n, [...shed]));
    await fake.tell(...answerWith('codex', 'paid for'));
    const { code, report } = await running;
    assert.match(said.at(-1)!, refusal);
    assert.equal([code, rig.calls.length, report.budget.used], [0, 1 + made, 1 + made]);
    const [call] = task.journal.read().ledger.calls.keys();
    const note = `codex_brief: 1 call was made by its agent from within the call ${call}, and counted as paid by this task`;
    assert.equal(
      report.notes.filter((one) => one.includes('from within')),
      made === 0 ? [] : [note],
    );
  });

/** Its parent ends, so that it is nobody's child. It ends before these words do. */
const LOST =
  '(setsid sh -c \'env -i PATH="$PATH" HOME="$HOME" "$@"; : >done\' sh "$@" &); until [ -e done ]; do sleep 0.02; done';
for (const [how, run, shedFor] of [
  ['the marker of an earlier call', test, (earlier: string) => ['env', `TOLLGATE_CALL_ID=${earlier}`]],
  ['no marker, no parent and no session', inGroup, () => ['sh', '-c', LOST, 'sh']],
] as const)
  run(`an agent whose call may charge one more makes one, whatever it shows: ${how}`, async ({ rig }) => {
    const stage = (role: string) => ({ tool: 'codex', role, ...ANY_ANSWER });
    const budgets = { nested_calls: 1 };
    const task = makeTask(rig, { stages: [stage('brief'), stage('review')], budgets });
    const running = task.run();
    await (await rig.call()).tell(...answerWith('codex', 'first'));
    const [earlier] = task.journal.read().ledger.calls.keys();
    const fake = await rig.call();
    rig.answer(() => answerWith('codex', 'within'));
    await callWithin(rig, fake, 0);
    assert.match(await callWithin(rig, fake, 1, [...shedFor(earlier!)]), /may charge 1, which are used up to task fix/);
    await fake.tell(...answerWith('codex', 'second'));
    const { code, report } = await running;
    assert.equal([code, rig.calls.length, report.budget.used], [0, 3, 3]);
  });

test('a call of an agent on no account is not one of the task', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.run();
  const fake = await rig.call();
  rig.answer(() => answerWith('codex', 'within'));
  const files = [`--prompt-file=${rig.write('ask.md', 'hi\n')}`, `--out=${rig.root}/o`, `--err=${rig.root}/e`];
  await fake.tell({ do: 'run', argv: [process.execPath, SCRIPT, ...files], to: path.join(rig.root, 'said') });
  await fake.tell(...answerWith('codex', 'paid for'));
  const { code, report } = await running;
  assert.equal([code, rig.calls.length, report.budget.used], [0, 2, 1]);
});

test.run();
