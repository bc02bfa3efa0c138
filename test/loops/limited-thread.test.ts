// Work in a thread is ended after its time, at its amount of memory, and when no one waits for it.

import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInThread } from '../../loops/limited-thread.ts';

const file = path.resolve('test/rig/endless-thread.ts');
const waiting = new AbortController().signal;

test('an answer comes back', async () => {
  const end = await runInThread<string>({ file, given: 'answers', wallMs: 60_000, stop: waiting });
  assert.equal(end, { how: 'done', value: 'an answer' });
});

test('a loop without an end is ended after its time', async () => {
  const end = await runInThread({ file, given: 'loops', wallMs: 50, stop: waiting });
  assert.equal(end, { how: 'overran', why: 'it took longer than 0.05 s' });
});

test('what fills the memory is ended, and this process goes on', async () => {
  const end = await runInThread({ file, given: 'grows', wallMs: 120_000, stop: waiting });
  assert.equal(end, { how: 'overran', why: 'it took more than 1024 MiB' });
});

test('a caller who stops waiting ends it, before and while it runs', async () => {
  assert.equal(await runInThread({ file, given: 'loops', wallMs: 60_000, stop: AbortSignal.abort() }), {
    how: 'stopped',
  });
  const stop = new AbortController();
  const ended = runInThread({ file, given: 'loops', wallMs: 60_000, stop: stop.signal });
  stop.abort();
  assert.equal(await ended, { how: 'stopped' });
});

test.run();
