// Work in a process of its own is ended after its time, at its amount of memory, and with its caller.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../../loops/limited-process.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import { isAlive } from '../rig/survivors.ts';
import { waitWhile } from '../rig/wait-while.ts';

const file = path.resolve('test/rig/endless-work.ts');
const waiting = new AbortController().signal;

test('an answer comes back', async () => {
  const end = await runInProcess<string>({ file, given: 'answers', wallMs: 60_000, stop: waiting });
  assert.equal(end, { how: 'done', value: 'an answer' });
});

test('a loop without an end is ended after its time', async () => {
  const end = await runInProcess({ file, given: 'loops', wallMs: 50, stop: waiting });
  assert.equal(end, { how: 'overran', why: 'it took longer than 0.05 s' });
});

for (const given of ['grows', 'buffers'])
  test(`what fills the memory is ended, and this process continues: ${given}`, async () => {
    const end = await runInProcess({ file, given, wallMs: 120_000, stop: waiting });
    assert.equal(end, { how: 'overran', why: 'it took more than 1024 MiB' });
  });

test('what the work throws is thrown here, as what it is', async () => {
  try {
    await runInProcess({ file, given: 'throws', wallMs: 60_000, stop: waiting });
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof RangeError);
    assert.is(error.message, 'too deep');
  }
});

test('a module that is not there is an error, and no work that took too much', async () => {
  const missing = { file: path.resolve('test/rig/none.ts'), given: null, wallMs: 60_000, stop: waiting };
  const why = await runInProcess(missing).then(
    () => 'no error',
    (error: Error) => error.message,
  );
  assert.match(why, 'ended with exit code 1');
});

test('a loop ends with a caller that is killed', async () => {
  const code = `import { runInProcess } from './loops/limited-process.ts';
    void runInProcess({ file: ${JSON.stringify(file)}, given: 'loops', wallMs: 600_000, stop: new AbortController().signal });
    setInterval(() => {}, 1000);`;
  const words = ['--import', 'tsx', '--input-type=module', '--eval', code];
  const caller = spawn(process.execPath, words, { stdio: 'ignore' });
  const child = async () =>
    (await processTable.list()).find(({ ppid, pgid, pid }) => ppid === caller.pid && pgid === pid)?.pid;
  let loop: number | undefined;
  while (loop === undefined) loop = await child();
  caller.kill('SIGKILL');
  await waitWhile(() => isAlive(loop));
});

test('a caller who stops waiting ends it, before and while it runs', async () => {
  assert.equal(await runInProcess({ file, given: 'loops', wallMs: 60_000, stop: AbortSignal.abort() }), {
    how: 'stopped',
  });
  const stop = new AbortController();
  const ended = runInProcess({ file, given: 'loops', wallMs: 60_000, stop: stop.signal });
  stop.abort();
  assert.equal(await ended, { how: 'stopped' });
});

test.run();
