// How long undo waits for whoever may still be at a session that has no lock: not for a call of ours that is over, nor for a clock that was set back.

import { appendFileSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SESSION_IDS } from '../rig/session-files.ts';
import { makeIn, standsIn, tollgate } from '../rig/session-run.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('undo at once');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ID = SESSION_IDS.gemini;
const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
];

/** As if it had been written so many seconds ago. */
function touch(file: string, secondsAgo: number): void {
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(file, then, then);
}

/** Until it says that it waits; then it is told to stop. */
async function waits(rig: TestRig): Promise<void> {
  const undoing = rig.start('tollgate', ['undo', ID]);
  await undoing.says(/gemini may still be at it: its file changed \d+ s ago; waiting until it has been idle for 30 s/);
  undoing.signal('SIGTERM');
  const { code, stderr } = await undoing.result;
  assert.is(code, 143);
  assert.match(stderr, /stopped; nothing was changed\n$/);
}

test('a call of ours that is over is waited for by nobody; whoever writes after it is', async ({ rig }) => {
  const file = makeIn(rig, 'gemini', TURNS);
  rig.answer(() => {
    touch(file, 0);
    return answerWith('gemini', 'fine', ID);
  });
  assert.is((await runWrapper(rig, 'gemini', ['--resume-session', ID]).ended()).code, 0);
  const { code, err } = await tollgate(rig, ['undo', ID]);
  assert.equal([code, err], [0, '']);
  assert.is(await standsIn(rig, ID), '+one=ONE +two= -~=TWO');
  appendFileSync(file, '{"$set":{"lastUpdated":"2026-11-23T08:00:00.000Z"}}\n');
  touch(file, -1);
  await waits(rig);
});

test('a file that was written a moment ahead of a clock that was set back is waited for, and not refused', async ({
  rig,
}) => {
  touch(makeIn(rig, 'gemini', TURNS), -20);
  await waits(rig);
});

test('one that was written an hour ahead was not written lately', async ({ rig }) => {
  touch(makeIn(rig, 'gemini', TURNS), -3600);
  const { code, err } = await tollgate(rig, ['undo', ID]);
  assert.equal([code, err], [0, '']);
});

test.run();
