// How a guardian's process ends: by itself, by being told, by force, or without having begun.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGuardian } from '../../../loops/stage/guardian.ts';

const test = suite<{ folder: string; ready: string }>('a guardian is started');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'start-'));
  context.ready = path.join(context.folder, 'ready');
  assert.is(spawnSync('mkfifo', [context.ready]).status, 0);
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

/** Says that it is there by the FIFO that it is given, and stays. */
const STAYS = `require('node:fs').writeFileSync(process.argv[1], ''); setInterval(() => {}, 60_000);`;

test('one that ends tells its exit code', async () => {
  assert.equal(await startGuardian(() => ['-e', 'process.exit(3)'], process.env).ended, {
    signal: null,
    how: 'ended with exit code 3',
  });
});

test('one that is told to end, and does, has ended by that signal', async ({ ready }) => {
  const guardian = startGuardian(() => ['-e', STAYS, ready], process.env);
  await readFile(ready);
  guardian.end();
  assert.equal(await guardian.ended, { signal: 'SIGTERM', how: 'ended by SIGTERM' });
});

test('one that does not obey is killed', async ({ ready }) => {
  const guardian = startGuardian(() => ['-e', `process.on('SIGTERM', () => {}); ${STAYS}`, ready], process.env, 50);
  await readFile(ready);
  guardian.end();
  assert.equal(await guardian.ended, { signal: 'SIGKILL', how: 'ended by SIGKILL' });
});

test('what cannot be started is an end like any other, and nothing to be ended', async () => {
  const guardian = startGuardian(() => ['-e', 'x'.repeat(4_000_000)], process.env);
  guardian.end();
  assert.is(guardian.pid, undefined);
  assert.equal(await guardian.ended, { signal: null, how: 'could not be started (spawn E2BIG)' });
});

test('one whose dispatch cannot be written was not started', async () => {
  const guardian = startGuardian(() => {
    throw new Error('ENOSPC: no space left on device, write');
  }, process.env);
  const how = 'could not be started (ENOSPC: no space left on device, write)';
  assert.equal([guardian.pid, await guardian.ended], [undefined, { signal: null, how }]);
});

test.run();
