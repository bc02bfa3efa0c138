// Whether `done` is believed: by what the acceptance commands give now, and never by a look that was stopped.

import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv, faultShim } from '../../rig/fault-shim.ts';
import { play, REASONER, superviseTask } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('done');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };

test('INT while the acceptance commands check a done has it checked again, unpaid, also by a clock that was set back', async ({
  rig,
}) => {
  play(rig, [DONE]);
  const at = (name: string) => path.join(rig.root, name);
  const command = `mkdir '${at('once')}' 2>/dev/null && exit 0; test -e '${at('red')}' && exit 1; : > '${at('began')}'; exec tail -f /dev/null`;
  const task = superviseTask(rig, { acceptance: { commands: [command] } });
  const began = seen(rig, 'began');
  const running = rig.start('tollgate', ['supervise', 'fix']);
  await Promise.race([began, running.result]);
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  assert.is(rig.calls.length, 2);
  rig.write('../red', '');
  await rig.run('tollgate', ['answer', 'fix', 'Mind the CSS.', '--later']);
  const env = faultShim() === null ? {} : faultEnv({ in: 'tollgate.cjs', clockSeconds: -86_400 });
  const ran = await rig.run('tollgate', ['supervise', 'fix'], { env });
  assert.is(ran.code, 1, ran.stderr);
  assert.is(rig.calls.length, 3);
  assert.match(task.prompts(REASONER)[1]!, 'Your last answer was "done", and it does not count');
  // Left behind the call that was paid for, it was not told yet.
  assert.match(task.prompts(REASONER)[1]!, 'Mind the CSS.');
});

test('INT while git is asked about the beginning is an interruption, and costs nothing', async ({ rig }) => {
  const began = path.join(rig.root, 'began');
  mkdirSync(path.join(rig.project, '.git'));
  writeFileSync(
    path.join(rig.bin, 'git'),
    `#!/bin/sh\ntest -e '${began}' && exit 1\n: > '${began}'\nexec tail -f /dev/null\n`,
    { mode: 0o755 },
  );
  const task = superviseTask(rig);
  const watched = seen(rig, 'began');
  const running = rig.start('tollgate', ['supervise', 'fix']);
  await Promise.race([watched, running.result]);
  running.signal('SIGINT');
  const { code, stderr } = await running.result;
  assert.is(code, 130, stderr);
  assert.match(task.read('outputs/_summary.md'), 'stopped by SIGINT');
  assert.is(rig.calls.length, 0);
});

/** A file of this name is made in the rig's folder. */
const seen = (rig: TestRig, file: string): Promise<void> =>
  new Promise((resolve) => {
    const watcher = watch(rig.root, { persistent: false }, (_, name) => {
      if (name !== file) return;
      watcher.close();
      resolve();
    });
  });

test('a tree that somebody changed since the last work is looked at before a done is believed', async ({ rig }) => {
  play(rig, [{ action: 'save_session', why: 'later' }, DONE]);
  const task = superviseTask(rig, { acceptance: { commands: ['test -e src/step-1.txt'] } });
  assert.is((await task.supervise()).code, 1);
  rmSync(path.join(rig.project, 'src/step-1.txt'));
  const ran = await task.supervise('--accept-tree');
  assert.is(ran.code, 1, ran.said);
  assert.match(task.prompts(REASONER)[2]!, /does not count[\s\S]*test -e src\/step-1.txt/);
});

test.run();
