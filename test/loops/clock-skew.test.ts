// Clocks that are wrong by a day or ten years, in one process of a run: nothing is paid twice, no living guardian is given up.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../state/journal/ledger.ts';
import { faultEnv, faultShim } from '../rig/fault-shim.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('clock skew');
const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const DAY = 86_400;
const AHEAD = 3652 * DAY;

for (const [name, clockSeconds] of [
  ['ten years ahead', AHEAD],
  ['ten years behind', -AHEAD],
] as const)
  can(`the next run, ${name}, waits for a guardian that lives`, async ({ rig }) => {
    const task = makeTask(rig, ONE);
    const first = task.start();
    const fake = await rig.call();
    first.signal('SIGKILL');
    await first.result;
    const second = rig.start('tollgate', ['run', 'fix'], { env: faultEnv({ in: 'tollgate.cjs', clockSeconds }) });
    await second.says(/waiting for the call .* that an earlier run started/);
    assert.is(openCalls(task.journal.read().ledger).length, 1);
    await fake.tell(...answerWith('codex', 'paid for'));
    assert.equal([(await second.result).code, rig.calls.length], [0, 1]);
    assert.is(task.journal.read().ledger.calls.values().next().value!.ended!.ending, 'exited');
  });

/** A dispatcher that is ahead has a guardian that is behind. */
for (const script of ['tollgate.cjs', 'run_codex.cjs'])
  can(
    `${script} ten years ahead: a failure is tried again, the answer counts, and the next run pays nothing`,
    async ({ rig }) => {
      const task = makeTask(rig, ONE);
      rig.answer(() =>
        rig.calls.length === 1
          ? failWith('codex', 'stream disconnected before completion', 500)
          : answerWith('codex', 'ok'),
      );
      const env = { ...rig.env, ...faultEnv({ in: script, clockSeconds: AHEAD }) };
      const first = await rig.run('tollgate', ['run', 'fix'], { env });
      assert.is(first.code, 0, first.stderr);
      const second = await task.run();
      assert.equal([second.code, rig.calls.length, second.report.budget.used], [0, 2, 2]);
    },
  );

for (const [name, clockSeconds] of [
  ['a day ahead', DAY],
  ['ten years behind', -AHEAD],
] as const)
  can(`what is to be waited before a retry counts from the failure, whose guardian is ${name}`, async ({ rig }) => {
    const task = makeTask(rig, ONE);
    rig.answer(() =>
      rig.calls.length === 1
        ? failWith('codex', 'Rate limit reached. Please try again in 3s.', 429)
        : answerWith('codex', 'ok'),
    );
    const env = { ...rig.env, ...faultEnv({ in: 'run_codex.cjs', clockSeconds }) };
    const { code, stderr } = await rig.run('tollgate', ['run', 'fix'], { env });
    assert.equal([code, rig.calls.length], [0, 2], stderr);
    assert.match(stderr, /waiting [23]\.\d s/);
    assert.equal((await task.run()).report.budget.used, 2);
  });

test.run();
