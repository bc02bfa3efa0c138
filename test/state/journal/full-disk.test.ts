// A small disk of its own that is full, fills during a call, or may not be written: what was paid is kept, and each is told.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeAtomic } from '../../../state/atomic-file.ts';
import { openCalls } from '../../../state/journal/ledger.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { mount, mountRefusal } from '../../rig/temporary-folder.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('a full disk');
const refusal = mountRefusal();
const can = refusal === null ? test : test.skip;
if (refusal !== null) console.log(`SKIPPED: no small disk can be mounted here (${refusal})`);

test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  if (refusal !== null) return;
  mount(context.rig.project, '-t', 'tmpfs', '-o', 'size=1m');
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(async ({ rig }) => {
  if (refusal === null) spawnSync('umount', [rig.project]);
  await rig.dispose();
});

can(
  'that fills during a call keeps the answer in its attempt, and the next run publishes it',
  async ({ rig, task }) => {
    const running = task.start();
    const fake = await rig.call();
    // Room for what the CLI says, and none for what is made of it.
    const filler = fill(rig, 3);
    await fake.tell(...answerWith('codex', 'paid for'));
    const { code, stderr } = await running.result;
    assert.is(code, 1, stderr);
    assert.match(
      stderr,
      /the result could not be written \(ENOSPC: .*codex_brief\.codex\..*\); what could be kept of it is in .*everything written before is kept\. Make its disk writable/,
    );
    assert.not.match(stderr, /\n\s+at /);
    rmSync(filler);
    const again = await task.run();
    assert.equal([again.code, rig.calls.length], [0, 1], again.said);
    assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
    assert.equal(openCalls(task.journal.read().ledger), []);
  },
);

can('that is full before the run costs nothing', async ({ rig, task }) => {
  const filler = fill(rig, 0);
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(
    said,
    /state cannot be written \(ENOSPC: .*\); nothing was started\. To continue, free some space on its disk\n/,
  );
  rmSync(filler);
  rig.answer(() => answerWith('codex', 'paid for'));
  assert.is((await task.run()).code, 0);
});

can('that may not be written costs nothing, and can still be looked at', async ({ rig, task }) => {
  rig.answer(() => answerWith('codex', 'paid for'));
  assert.is((await task.run()).code, 0);
  mount(rig.project, '-o', 'remount,ro');
  const { code, said } = await task.run('--redo', 'codex_brief');
  assert.ok(code === 1 || code === 2);
  assert.match(said, /cannot be written|could not be written/);
  const { stderr } = await rig.run('tollgate', ['sessions', 'forget', 'login']);
  assert.match(stderr, /; nothing was changed\. To continue, mount its file system writable, or set TOLLGATE_STATE to/);
  const call = await rig.run('tollgate', ['call', 'codex', 'Hi', '--session', 'login', '--no-files']);
  assert.match(
    call.stderr,
    /; nothing was started\. To continue, mount its file system writable, or set TOLLGATE_STATE to a folder that is/,
  );
  assert.match(said, /EROFS: read-only file system/);
  assert.is((await rig.run('tollgate', ['report'])).code, 0);
  assert.is((await rig.run('tollgate', ['run', 'fix', '--dry-run'])).code, 0);
  const budget = await rig.run('tollgate', ['budget', 'fix', '--set', '20']);
  assert.equal([budget.code, rig.calls.length], [1, 1]);
  assert.match(budget.stderr, /cannot be read or written \(EROFS: .*make .*state writable/);
  mount(rig.project, '-o', 'remount,rw');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

can('that has room for half a state file keeps the one that was there', async ({ rig }) => {
  const file = rig.write('state.json', '{"whole": true}');
  fill(rig, 1);
  for (const durability of ['synced', 'renamed'] as const) {
    const error = await writeAtomic(file, 'x'.repeat(10_000), durability).catch((error: Error) => error);
    assert.match(String(error), /ENOSPC: .*state\.json/);
    assert.equal(
      [readFileSync(file, 'utf8'), readdirSync(rig.project).sort()],
      ['{"whole": true}', ['.tmp', 'filler', 'state.json']],
    );
  }
});

/** Takes all but so many pages. */
function fill(rig: TestRig, pages: number): string {
  const { bavail, bsize } = statfsSync(rig.project);
  return rig.write('filler', Buffer.alloc((bavail - pages) * bsize));
}

test.run();
