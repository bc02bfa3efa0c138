// A run that is stopped by Ctrl-C around a stand-in: it ends as any run that is stopped, and the next one continues with the stand-in.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../../state/journal/ledger.ts';
import { callOfOwn, limitToOne } from '../../rig/limited-calls.ts';
import type { RunningCommand } from '../../rig/running-command.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('stand-ins stopped');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const OVERLOADED = ['The model is overloaded. Please try again later.', 503] as const;
const STAGE = { tool: 'codex', role: 'review', id: 'look', model: 'm1', fallback_on: ['overloaded'], ...ANY_ANSWER };
const BY_COPILOT = { ...STAGE, fallback: [{ tool: 'copilot', model: 'm9' }] };
const BY_MODEL = { ...STAGE, fallback: [{ tool: 'codex', model: 'm2' }] };
const SAID = 'copilot with m9 was asked in place of codex with m1 (overloaded)';

/** By the stage, which names a model. */
const askedOf = ({ calls }: TestRig) =>
  calls.flatMap(({ report: { tool, argv } }) =>
    ['m1', 'm2', 'm9'].filter((model) => argv.includes(model)).map((model) => `${tool} ${model}`),
  );

/** Stopped as the terminal does it. */
async function assertStops(rig: TestRig, task: TestTask, running: RunningCommand): Promise<void> {
  running.signal('SIGINT');
  const { code, stdout } = await running.result;
  assert.equal([code, JSON.parse(stdout).state], [130, 'interrupted']);
  const { ledger } = task.journal.read();
  assert.equal([openCalls(ledger).length, ledger.run, rig.survivors()], [0, null, []]);
}

test('while the stand-in works: it is ended, and the next run asks it alone', async ({ rig }) => {
  const task = makeTask(rig, { stages: [BY_COPILOT] });
  const running = task.start();
  await (await rig.call()).tell(...failWith('codex', ...OVERLOADED));
  const fake = await rig.call();
  await fake.tell(write(STREAMS.copilot.opens()));
  await assertStops(rig, task, running);
  assert.match(task.read('outputs/_summary.md'), 'interrupted');
  rig.answer(() => answerWith('copilot', 'by another'));
  const { code, report, summary } = await task.run();
  const asked = ['codex m1', 'copilot m9', 'copilot m9'];
  assert.equal([code, askedOf(rig), report.budget.used], [0, asked, 3]);
  assert.equal([report.stages[0]!.tool, report.stages[0]!.warnings], ['copilot', [`look: ${SAID}`]]);
  assert.match(summary, SAID);
  // What is done is asked for no more.
  assert.equal([(await task.run()).code, rig.calls.length], [0, 3]);
});

test('once a model that stands in has run a tool: its session is continued, by that model', async ({ rig }) => {
  const task = makeTask(rig, { stages: [BY_MODEL] });
  const running = task.start();
  await (await rig.call()).tell(...failWith('codex', ...OVERLOADED));
  const { opens, runsTool } = STREAMS.codex;
  const fake = await rig.call();
  await fake.tell(write([...opens(SESSION), ...runsTool('done')]));
  await assertStops(rig, task, running);
  rig.answer(() => answerWith('codex', 'by m2'));
  const { code, report } = await task.run();
  assert.equal([code, askedOf(rig), report.budget.used], [0, ['codex m1', 'codex m2', 'codex m2'], 3]);
  assert.ok(rig.calls[2]!.report.argv.includes(SESSION));
  assert.is(task.read('outputs/look.codex.out'), 'by m2');
});

test('while the stand-in stands in line: nothing is paid for it, and the next run asks it at once', async ({ rig }) => {
  limitToOne(rig, 'copilot');
  const other = callOfOwn(rig, 'copilot');
  const before = await rig.call();
  const task = makeTask(rig, { stages: [BY_COPILOT] });
  const running = task.start();
  await (await rig.call()).tell(...failWith('codex', ...OVERLOADED));
  await running.says(/waits for one of 1 calls to end/);
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  await before.tell(...answerWith('copilot', 'of the other'));
  assert.is((await other.result).code, 0);
  rig.answer(() => answerWith('copilot', 'by another'));
  const { code, report } = await task.run();
  assert.equal([code, askedOf(rig), report.budget.used], [0, ['codex m1', 'copilot m9'], 2]);
  assert.equal(report.stages[0]!.warnings, [`look: ${SAID}`]);
});

test.run();
