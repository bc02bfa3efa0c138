// A run that is killed around a stand-in: nothing is paid twice, the next one continues with the stand-in, and says in whose place.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DIED } from '../../../loops/call/close-orphaned-call.ts';
import { openCalls } from '../../../state/journal/ledger.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { faultEnv } from '../../rig/fault-shim.ts';
import { callOfOwn, limitToOne } from '../../rig/limited-calls.ts';
import type { RunningCommand } from '../../rig/running-command.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('stand-ins cut off');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const OVERLOADED = ['The model is overloaded. Please try again later.', 503] as const;
const STAGE = { tool: 'codex', role: 'review', id: 'look', model: 'm1', fallback_on: ['overloaded'], ...ANY_ANSWER };
const BY_COPILOT = { ...STAGE, fallback: [{ tool: 'copilot', model: 'm9' }] };
const BY_MODEL = { ...STAGE, fallback: [{ tool: 'codex', model: 'm2' }] };
const SAID = 'copilot with m9 was asked in place of codex with m1 (overloaded)';

/** By stages, which name a model. */
const askedOf = ({ calls }: TestRig) =>
  calls.flatMap(({ report: { tool, argv } }) =>
    ['m1', 'm2', 'm9'].filter((model) => argv.includes(model)).map((model) => `${tool} ${model}`),
  );
const fails = (fake: FakeCall) => fake.tell(...failWith('codex', ...OVERLOADED));

type Struck = 'dispatcher' | 'dispatcher and guardian';

async function strike(running: RunningCommand, task: TestTask, struck: Struck): Promise<void> {
  const [call] = openCalls(task.journal.read().ledger);
  running.signal('SIGKILL');
  if (struck === 'dispatcher and guardian') process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await running.result;
}

/** All of it, once the stand-in has been asked. */
async function killAtWork(rig: TestRig): Promise<TestTask> {
  const task = makeTask(rig, { stages: [BY_COPILOT] });
  const running = task.start();
  await fails(await rig.call());
  const fake = await rig.call();
  await strike(running, task, 'dispatcher and guardian');
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  return task;
}

/** The dispatcher alone, as the stand-in stands in line for its place: nothing has been reserved for it. */
async function killInLine(rig: TestRig): Promise<TestTask> {
  limitToOne(rig, 'copilot');
  const other = callOfOwn(rig, 'copilot');
  const before = await rig.call();
  const task = makeTask(rig, { stages: [BY_COPILOT] });
  const running = task.start();
  await fails(await rig.call());
  await running.says(/waits for one of 1 calls to end/);
  await strike(running, task, 'dispatcher');
  await before.tell(...answerWith('copilot', 'of the other'));
  assert.is((await other.result).code, 0);
  return task;
}

/** One call of the failing model, whoever was struck, and the stand-in named wherever one reads of it. */
async function assertGoesOn(
  rig: TestRig,
  task: TestTask,
  { asked, out, notes = [] }: { asked: string[]; out: string; notes?: string[] },
) {
  const { code, report, summary } = await task.run();
  assert.equal([code, askedOf(rig), report.budget.used], [0, asked, asked.length]);
  const [look] = report.stages;
  assert.is(look!.tool, 'copilot');
  assert.equal(
    look!.warnings,
    [SAID, ...notes].map((warning) => `look: ${warning}`),
  );
  assert.match(summary, SAID);
  assert.is(task.read('outputs/look.copilot.out'), out);
  assert.equal(rig.survivors(), []);
}

test('killed while the call fails, which its guardian sees to: the next run asks the stand-in at once', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [BY_COPILOT] });
  const running = task.start();
  const fake = await rig.call();
  await strike(running, task, 'dispatcher');
  rig.answer(() => answerWith('copilot', 'by another'));
  await fails(fake);
  await assertGoesOn(rig, task, { asked: ['codex m1', 'copilot m9'], out: 'by another' });
});

test('killed once it was decided and before the stand-in is asked: the next run asks it at once', async ({ rig }) => {
  const task = await killInLine(rig);
  rig.answer(() => answerWith('copilot', 'by another'));
  await assertGoesOn(rig, task, { asked: ['codex m1', 'copilot m9'], out: 'by another' });
});

for (const struck of ['dispatcher', 'dispatcher and guardian'] as const)
  test(`${struck} killed while the stand-in answers: the next run takes its answer`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [BY_COPILOT] });
    const running = task.start();
    await fails(await rig.call());
    const fake = await rig.call();
    await strike(running, task, struck);
    await fake.tell(...answerWith('copilot', 'paid for'));
    const notes = struck === 'dispatcher' ? [] : [DIED];
    await assertGoesOn(rig, task, { asked: ['codex m1', 'copilot m9'], out: 'paid for', notes });
  });

test('all killed while the stand-in works: the next run asks the stand-in alone', async ({ rig }) => {
  const task = await killAtWork(rig);
  rig.answer(() => answerWith('copilot', 'by another'));
  await assertGoesOn(rig, task, { asked: ['codex m1', 'copilot m9', 'copilot m9'], out: 'by another' });
});

test('all killed once a model that stands in has run a tool: its session is continued, by that model', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [BY_MODEL] });
  const running = task.start();
  await fails(await rig.call());
  const fake = await rig.call();
  const { opens, runsTool } = STREAMS.codex;
  await fake.tell(write([...opens(SESSION), ...runsTool('done')]));
  await strike(running, task, 'dispatcher and guardian');
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  rig.answer(() => answerWith('codex', 'by m2'));
  const { code } = await task.run();
  assert.equal([code, askedOf(rig)], [0, ['codex m1', 'codex m2', 'codex m2']]);
  assert.ok(rig.calls[2]!.report.argv.includes(SESSION));
});

for (const hours of [24, -24])
  test(`killed before a model that stands in is asked, which was decided ${hours} h earlier than the failure by the clock: it is asked, no further one`, async ({
    rig,
  }) => {
    limitToOne(rig, 'codex');
    const task = makeTask(rig, {
      stages: [{ ...STAGE, fallback: [BY_MODEL.fallback[0], { tool: 'codex', model: 'm9' }] }],
    });
    const running = rig.start('tollgate', ['run', 'fix'], {
      env: faultEnv({ in: 'run_codex.cjs', clockSeconds: hours * 3600 }),
    });
    const failing = await rig.call();
    const other = callOfOwn(rig, 'codex');
    await other.says(/waits for one of 1 calls to end/);
    await fails(failing);
    const before = await rig.call();
    await running.says(/waits for one of 1 calls to end/);
    await strike(running, task, 'dispatcher');
    await before.tell(...answerWith('codex', 'of the other'));
    assert.is((await other.result).code, 0);
    rig.answer(() => answerWith('codex', 'by m2'));
    const { code } = await task.run();
    assert.equal([code, askedOf(rig)], [0, ['codex m1', 'codex m2']]);
  });

for (const [what, changed] of [
  ['the stage has another stand-in', { stages: [BY_MODEL] }],
  ['its prompt is another', { stages: [BY_COPILOT], goal: 'Find out more.' }],
] as const)
  test(`where ${what} now, the stage begins with its own tool`, async ({ rig }) => {
    await killInLine(rig);
    rig.answer(() => answerWith('codex', 'by m1'));
    const { code, report } = await makeTask(rig, changed).run();
    assert.equal([code, askedOf(rig)], [0, ['codex m1', 'codex m1']]);
    assert.not.match(report.stages[0]!.warnings.join(), 'in place of');
  });

test('the reset of the first engine is not forgotten by the run that continues with its stand-in', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ ...BY_COPILOT, fallback_on: ['quota'] }] });
  const running = task.start();
  await (await rig.call()).tell(...failWith('codex', 'Try again in 40 minutes: you have hit your usage limit.', 429));
  const fake = await rig.call();
  await strike(running, task, 'dispatcher and guardian');
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  rig.answer(() => failWith('copilot', 'You exceeded your current quota, please check your plan.', 429));
  const { report } = await task.run();
  assert.equal(askedOf(rig), ['codex m1', 'copilot m9', 'copilot m9']);
  const { retry_at, next_actions } = report.failure!;
  assert.ok(Math.abs(Date.parse(retry_at!) - Date.now() - 40 * 60_000) < 120_000, `${retry_at}`);
  assert.match(next_actions[0]!.text, `not before ${retry_at}, call codex again`);
});

test.run();
