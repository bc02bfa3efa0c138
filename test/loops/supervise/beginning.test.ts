// Before the first payment: both parts can be started, or the run says which cannot, and why.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play, REASONER, superviseTask, WORKER } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('beginning');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };
const MINE = `tools:
  mine:
    binary: ./mine.sh
    access: {read: [--look]}
`;

for (const [what, parts, told, prepare] of [
  [
    'a reasoner that is not installed',
    {},
    /the reasoner \(gemini\) cannot be started, and nothing was paid: gemini is not on the PATH/,
    (rig: TestRig) => rig.uninstall(REASONER),
  ],
  [
    'a reasoner that would run what a folder holds that nobody trusts',
    { reasoner: { tool: 'claude' } },
    /the reasoner \(claude\) cannot be started, and nothing was paid: .* is not a trusted folder/,
    (rig: TestRig) => rmSync(path.join(rig.home, '.claude.json')),
  ],
  [
    'a worker whose description has no way to write',
    { worker: { tool: 'mine' } },
    /the worker \(mine\) cannot be started, and nothing was paid: --access write: tools.mine of tollgate.yaml/,
    (rig: TestRig) => rig.write('tollgate.yaml', MINE),
  ],
] as const)
  test(`${what} is refused before anything is paid`, async ({ rig }) => {
    play(rig, [DONE]);
    prepare(rig);
    const supervise = { worker: { tool: WORKER }, reasoner: { tool: REASONER }, ...parts };
    const task = superviseTask(rig, { supervise });
    const ran = await task.supervise(...('worker' in parts ? ['--trust-workspace'] : []));
    assert.equal([ran.code, rig.calls.length, task.journal.read().ledger.used], [2, 0, 0], ran.said);
    assert.match(ran.said, told, ran.said);
    assert.match(ran.summary, told);
  });

test('what is done needs no CLI any more', async ({ rig }) => {
  play(rig, [DONE]);
  const task = superviseTask(rig);
  assert.is((await task.supervise()).code, 0);
  rig.uninstall(REASONER);
  assert.is((await task.supervise()).code, 0);
});

test.run();
