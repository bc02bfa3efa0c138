// A supervised task that somebody takes away, or supervises too, while it runs.

import { renameSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCall } from '../../rig/fake-call.ts';
import { answerWith } from '../../rig/streams.ts';
import { changes, REASONER, superviseTask } from '../../rig/supervise-run.ts';
import { untilStarted } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('disturbed');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = JSON.stringify({ action: 'done', summary: 'All of it.' });
const playOn = (rig: TestRig) =>
  rig.answer(({ report }: FakeCall) => (report.tool === REASONER ? answerWith(REASONER, DONE) : changes(2)));

for (const [what, takeAway] of [
  ['deleted', (folder: string) => rmSync(folder, { recursive: true })],
  ['moved away', (folder: string) => renameSync(folder, `${folder}-old`)],
] as const)
  test(`a task that is ${what} while its worker works is put back, says so, and is continued with the answer that was paid for`, async ({
    rig,
  }) => {
    const task = superviseTask(rig);
    const running = rig.start('tollgate', ['supervise', 'fix']);
    const worker = await rig.call();
    await untilStarted(task);
    takeAway(task.folder);
    await worker.tell(...changes(1));
    const { code, stdout } = await running.result;
    assert.is(code, 1);
    assert.match(stdout, '# Task fix: failed at worker, scope_violation (judge_changed)');
    assert.match(stdout, 'manifest.json (deleted; put back)');
    assert.match(stdout, 'Current instruction: Task A');
    const [, words] = /Next:\n- .*: `tollgate (supervise --resume \S+)`\n/.exec(stdout) ?? [];
    playOn(rig);
    const again = await rig.run('tollgate', [...words!.split(' '), '--json']);
    assert.equal([again.code, JSON.parse(again.stdout).budget.used], [0, 2], again.stderr);
  });

test('a second process waits for the first, and pays for nothing; with --no-wait it is refused', async ({ rig }) => {
  superviseTask(rig);
  const first = rig.start('tollgate', ['supervise', 'fix']);
  const worker = await rig.call();
  const refused = await rig.run('tollgate', ['supervise', 'fix', '--no-wait']);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /another run has this task \(pid \d+\); leave --no-wait out to wait for it/);
  const second = rig.start('tollgate', ['supervise', '--resume', 'fix']);
  await second.says(/another run has this task \(pid \d+\); waiting for it/);
  playOn(rig);
  await worker.tell(...changes(1));
  assert.equal([(await first.result).code, (await second.result).code, rig.calls.length], [0, 0, 2]);
  assert.match((await second.result).stderr, /another run of fix ended with exit code 0; its report: .*_summary\.md/);
});

test.run();
