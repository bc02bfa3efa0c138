// The limits of a call, by timers that the test drives: each byte begins the idle time anew, and an adopted call has an age.

import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GuardLimits, guard } from '../../wrappers/guard.ts';
import type { StreamReading } from '../../wrappers/reading.ts';

const test = suite('guard');
test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after.each(() => mock.timers.reset());

const LIMITS: GuardLimits = { wallMs: 100_000, idleMs: null, startMs: null, maxTurns: null, maxOutputBytes: 1000 };

function guarded(limits: Partial<GuardLimits>, ageMs = 0) {
  let grow: (bytes: number) => void = () => {};
  const reading = {
    watch: (_take: unknown, onGrow: typeof grow) => {
      grow = onGrow;
    },
    unmet: () => null,
  } as unknown as StreamReading;
  const watched = {
    limits: { ...LIMITS, ...limits },
    retries: 'allow',
    adapter: { lingerMs: 0, liveUsage: 'stream' },
  } as const;
  const ended: string[] = [];
  const watch = guard(watched, ageMs, reading, new AbortController().signal);
  void watch.cause.then((why) => ended.push(why));
  return {
    grow: (bytes: number) => grow(bytes),
    /** What has ended it by then. */
    async after(ms: number) {
      mock.timers.tick(ms);
      await Promise.resolve();
      return ended[0] ?? null;
    },
  };
}

test('each byte begins the idle time anew', async () => {
  const { grow, after } = guarded({ idleMs: 100 });
  assert.is(await after(60), null);
  grow(1);
  assert.is(await after(60), null);
  grow(2);
  assert.is(await after(99), null);
  assert.is(await after(1), 'idle');
});

test('a call that says nothing at all ends sooner, and its first byte ends that time', async () => {
  assert.is(await guarded({ startMs: 50 }).after(50), 'idle');
  const { grow, after } = guarded({ startMs: 50 });
  grow(1);
  assert.is(await after(60), null);
});

test('what was adopted has the time that is left of its own', async () => {
  const { after } = guarded({ wallMs: 100 }, 60);
  assert.is(await after(39), null);
  assert.is(await after(1), 'timed_out');
});

test('one byte over the limit of its output ends it', async () => {
  const { grow, after } = guarded({});
  grow(1000);
  assert.is(await after(0), null);
  grow(1001);
  assert.is(await after(0), 'overflowed');
});

test.run();
