// A flood of stderr, counted without a clock: how often each byte of it is read and written, and how much is read at once.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesOf, countIn, eventsOf } from '../rig/counted.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('flood');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const PLAIN = 'a line of stderr that says nothing in particular, and says it again and again\n';
const SECRET = 'password: hunter2x\n';
const FLOOD = `${PLAIN.repeat(20_000)}${SECRET}${PLAIN.repeat(20_000)}`;

test('is read twice, once for its error lines and once when it is published, and written once', async ({ rig }) => {
  const counted = countIn(rig);
  const running = runWrapper(rig, 'codex');
  const fake = await rig.call();
  await fake.tell({ do: 'write', to: 'stderr', text: FLOOD }, ...answerWith('codex', 'ok'));
  const { code, err } = await running.ended();
  assert.is(code, 0);
  assert.is(err, FLOOD.replace('hunter2x', '[REDACTED:value]'));
  const [wrapper] = counted();
  const reads = eventsOf(wrapper!, 'read', /\/stderr$/);
  assert.is(bytesOf(reads), 2 * FLOOD.length);
  // What is held of it at once is no more than that, however long it is.
  assert.ok(Math.max(...reads.map(({ bytes = 0 }) => bytes)) <= 64 * 1024);
  assert.is(bytesOf(eventsOf(wrapper!, 'write', /codex\.err/)), err!.length);
});

test.run();
