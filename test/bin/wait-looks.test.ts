// What a wait for many calls of one folder looks at and opens, counted: the folder a few times, each marker only once it has come.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countIn, eventsOf } from '../rig/counted.ts';
import { TestRig } from '../rig/test-rig.ts';

const CALLS = 200;

const test = suite<{ rig: TestRig }>('looks of a wait');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

test('each marker is opened and read once, and their folder not looked at for each of them', async ({ rig }) => {
  const folder = path.join(rig.project, 'markers');
  mkdirSync(folder);
  const counted = countIn(rig);
  const marker = (n: number) => path.join(folder, `${n}.done`);
  const calls = Array.from({ length: CALLS }, (_, n) => n + 1);
  const waiting = rig.start(
    'wait_parallel_tasks',
    calls.map((n) => `--task-${n}-done=${marker(n)}`),
  );
  for (const n of calls) {
    writeFileSync(`${marker(n)}.part`, '{"exit_code":0}\n');
    renameSync(`${marker(n)}.part`, marker(n));
    await waiting.says(new RegExp(`^task ${n}: done`, 'm'));
  }
  assert.is((await waiting.result).code, 0);
  const told = counted().find(({ script }) => script === 'wait_parallel_tasks.cjs')!;
  // The first may have been there before the wait began, and is looked at again then; its line says that it has.
  const ofMarkers = (what: Parameters<typeof eventsOf>[1]) => eventsOf(told, what, /(?<!\/1)\.done$/).length;
  assert.equal([ofMarkers('open'), ofMarkers('read')], [CALLS - 1, CALLS - 1]);
  // When it begins, and by the clock in case an event was lost: every two seconds.
  const looks = eventsOf(told, 'look').filter(({ file }) => file === folder).length;
  assert.ok(looks < CALLS / 5, `${looks} looks at the folder`);
});

test('of markers that are not there the folder is listed, and few are looked at', async ({ rig }) => {
  const folder = path.join(rig.project, 'markers');
  mkdirSync(folder);
  const counted = countIn(rig);
  const flags = Array.from({ length: 2000 }, (_, n) => `--task-${n + 1}-done=${path.join(folder, `${n + 1}.done`)}`);
  assert.is((await rig.start('wait_parallel_tasks', [...flags, '--timeout-ms=1', '--quiet']).result).code, 1);
  const told = counted().find(({ script }) => script === 'wait_parallel_tasks.cjs')!;
  // As the flags are read, as the wait begins, and as its time is up.
  assert.is(eventsOf(told, 'list').filter(({ file }) => file === folder).length, 3);
  assert.is(eventsOf(told, 'look', /\.done$/).length, 3 * 64);
});

test.run();
