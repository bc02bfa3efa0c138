// Places of a batch: who is next, and which tool is asked no more.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lineUp } from '../../../loops/batch/batch.ts';
import { nextOf, openSlots } from '../../../loops/batch/slots.ts';
import type { CallSlot } from '../../../loops/task/run-context.ts';
import type { Verdict } from '../../../policies/facts/evidence.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';

const never = new AbortController().signal;
const asked = (tool: BuiltIn, model: string | null = null) => ({ tool, model });
const release = (slot: CallSlot, verdict: Verdict | null = null) =>
  slot.how === 'taken' ? slot.release(verdict) : assert.unreachable(slot.how);
const quota = (reason: string, retry_at: string | null): Verdict => ({
  class: 'quota',
  reason,
  evidence: null,
  retry_at,
});

const NEXT: [queue: BuiltIn[], running: Partial<Record<BuiltIn, number>>, next: number | null][] = [
  [[], { codex: 1 }, null],
  [['codex', 'codex'], {}, 0],
  [['codex', 'gemini'], { codex: 1 }, 1],
  [['codex', 'gemini', 'copilot'], { codex: 1, gemini: 2, copilot: 1 }, 0],
  [['codex', 'codex', 'copilot'], { codex: 1, gemini: 5 }, 2],
];

for (const [queue, running, next] of NEXT)
  test(`of ${queue.join(', ') || 'nobody'} with ${JSON.stringify(running)} at work`, () => {
    const waiting = queue.map((tool, at) => ({ request: { tool }, at }));
    assert.is(nextOf(waiting, running)?.at ?? null, next);
  });

test("one tool's long queue does not starve another", async () => {
  const slots = openSlots(2, () => new Date());
  const order: BuiltIn[] = [];
  const call = async (tool: BuiltIn) => {
    const slot = await slots.take(asked(tool), never);
    order.push(tool);
    await Promise.resolve();
    release(slot);
  };
  await Promise.all((['codex', 'codex', 'codex', 'codex', 'codex', 'gemini', 'copilot'] as const).map(call));
  assert.equal(order, ['codex', 'codex', 'gemini', 'codex', 'copilot', 'codex', 'codex']);
});

test('never more at once than there are places, and one that stops waiting takes none', async () => {
  const slots = openSlots(1, () => new Date());
  const stop = new AbortController();
  const first = await slots.take(asked('codex'), never);
  const told = slots.take(asked('codex'), stop.signal);
  const last = slots.take(asked('codex'), never);
  stop.abort();
  assert.equal(await told, { how: 'stopped' });
  assert.equal(slots.running(), { codex: 1 });
  release(first);
  release(first);
  const slot = await last;
  assert.equal(slots.running(), { codex: 1 });
  release(slot);
  assert.equal(slots.running(), { codex: 0 });
  assert.is((await slots.take(asked('codex'), stop.signal)).how, 'stopped');
});

test('a quota that was met is not met again until its reset, by that tool and model alone', async () => {
  let now = new Date('2026-03-01T10:00:00Z');
  const slots = openSlots(1, () => now);
  const first = await slots.take(asked('gemini', 'pro'), never);
  const waiting = slots.take(asked('gemini', 'pro'), never);
  release(first, quota('daily', '2026-03-01T11:00:00.000Z'));
  const message =
    'the quota of gemini with pro is used up (daily); it is not called again before 2026-03-01T11:00:00.000Z';
  assert.equal(await waiting, { how: 'paused', class: 'quota', until: '2026-03-01T11:00:00.000Z', message });
  assert.equal(slots.paused(), [message]);
  release(await slots.take(asked('gemini'), never), quota('budget', null));
  release(await slots.take(asked('gemini'), never), quota('plan', null));
  const paused = await slots.take(asked('gemini'), never);
  assert.is(
    paused.how === 'paused' && paused.message,
    'the quota of gemini is used up (plan); it is not called again in this batch',
  );
  now = new Date('2026-03-01T11:00:00Z');
  release(await slots.take(asked('gemini', 'pro'), never));
});

test('a clock that is set back holds up no pause, and no clock shortens one that has no end', async () => {
  let now = new Date('2026-03-01T10:00:00Z');
  let steadyMs = 0;
  const slots = openSlots(
    2,
    () => now,
    () => steadyMs,
  );
  const first = await slots.take(asked('gemini'), never);
  const second = await slots.take(asked('codex'), never);
  release(first, quota('daily', '2026-03-01T11:00:00.000Z'));
  release(second, quota('plan', null));
  now = new Date('2016-03-01T10:00:00Z');
  steadyMs = 3_599_999;
  assert.is((await slots.take(asked('gemini'), never)).how, 'paused');
  steadyMs = 3_600_000;
  const again = await slots.take(asked('gemini'), never);
  assert.is(again.how, 'taken');
  release(again);
  now = new Date('2036-03-01T10:00:00Z');
  assert.is((await slots.take(asked('codex'), never)).how, 'paused');
});

const REFUSED: [reason: string, asked: ReturnType<typeof asked>, isPaused: Record<string, boolean>][] = [
  ['bad_key', asked('gemini'), { gemini: true, pro: true, codex: false }],
  ['not_signed_in', asked('gemini', 'pro'), { gemini: true, pro: true, codex: false }],
  // An account may be refused one model, and given the others.
  ['not_authorised', asked('gemini', 'pro'), { gemini: false, pro: true, codex: false }],
];
for (const [reason, refused, isPaused] of REFUSED)
  test(`auth (${reason}) of ${refused.model ?? 'the tool'} pauses ${JSON.stringify(isPaused)}`, async () => {
    const slots = openSlots(3, () => new Date());
    const verdict: Verdict = { class: 'auth', reason, evidence: null, retry_at: null };
    release(await slots.take(refused, never), verdict);
    const now = {
      gemini: await slots.take(asked('gemini'), never),
      pro: await slots.take(asked('gemini', 'pro'), never),
      codex: await slots.take(asked('codex'), never),
    };
    assert.equal(Object.fromEntries(Object.entries(now).map(([name, { how }]) => [name, how === 'paused'])), isPaused);
    assert.is(slots.paused().length, 1);
    assert.equal(slots.signedOut(), isPaused.gemini ? ['gemini'] : []);
  });

test('a pause that ends while those that wait are told of it costs no place', async () => {
  const reset = Date.parse('2026-03-01T11:00:00.000Z');
  let next = reset - 1;
  // Each look at the clock finds it a millisecond further.
  const slots = openSlots(1, () => new Date(next++));
  const first = await slots.take(asked('gemini'), never);
  const waiting = slots.take(asked('gemini'), never);
  next = reset - 1;
  release(first, quota('daily', '2026-03-01T11:00:00.000Z'));
  assert.is((await waiting).how, 'paused');
  assert.equal(slots.running(), { gemini: 0 });
  release(await slots.take(asked('gemini'), never));
});

test('tasks are begun so that tools are mixed, in the order given within a tool', () => {
  const tools: BuiltIn[] = ['codex', 'codex', 'codex', 'gemini', 'copilot', 'gemini'];
  const all = tools.map((tool, at) => ({ tool, at }));
  const lineup = lineUp(all);
  const begun = [lineup.next(), lineup.next(), lineup.next(), lineup.next()];
  assert.equal(
    begun.map((one) => one!.at),
    [0, 3, 4, 1],
  );
  lineup.end(begun[1]!);
  assert.equal([lineup.next()!.at, lineup.next()!.at, lineup.next()], [5, 2, null]);
});

test.run();
