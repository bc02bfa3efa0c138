// tollgate budget without a task: the limits over all tasks are shown, set and taken away, and what is none is refused in words.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate budget over all tasks');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const budget = (rig: TestRig, ...flags: string[]) => rig.run('tollgate', ['budget', ...flags]);
const fileOf = (rig: TestRig) => path.join(rig.home, '.local/state/tollgate/limits/limits.json');

test('limits are set, shown and taken away one by one', async ({ rig }) => {
  assert.match((await budget(rig)).stdout, 'No limit over all tasks');
  await budget(rig, '--per', 'day', '--set', '100');
  await budget(rig, '--per', 'month', '--of', 'usd', '--set', '20', '--tool', 'codex');
  await budget(rig, '--at-once', '3');
  const { code, stdout, stderr } = await budget(rig, '--per-minute', '9', '--tool', 'gemini', '--json');
  const { budgets, at_once, per_minute } = JSON.parse(stdout);
  assert.equal(
    budgets.map(({ per, tool, unit, most, used, left }: Record<string, unknown>) => [
      per,
      tool,
      unit,
      most,
      used,
      left,
    ]),
    [
      ['day', 'any', 'calls', 100, 0, 100],
      ['month', 'codex', 'usd', 20, 0, 20],
    ],
  );
  assert.equal([code, stderr, at_once[0].most, per_minute[0].most], [0, '', 3, 9]);
  for (const flags of ['--per day --unset', '--per month --of usd --unset --tool codex', '--at-once 0'])
    assert.is((await budget(rig, ...flags.split(' '))).code, 0);
  const left = await budget(rig, '--per-minute', '0', '--tool', 'gemini');
  assert.match(left.stdout, 'No limit over all tasks');
});

test('a slip in the name of a CLI is told, and the limit kept for one of that name', async ({ rig }) => {
  const { code, stdout, stderr } = await budget(rig, '--per', 'day', '--set', '5', '--tool', 'gemni');
  assert.is(code, 0);
  assert.match(stdout, '0 of 5 calls a day of gemni');
  assert.match(stderr, 'gemni is not one of gemini, copilot, codex and claude');
  assert.is((await budget(rig, '--per', 'day', '--set', '5', '--tool', 'gemini')).stderr, '');
});

for (const flags of [
  ...['-3', '1e309', 'NaN', '1.5', '', '999999999999999999999', '١'].map((n) => ['--per', 'day', `--set=${n}`]),
  ['--set', '5'],
  ['--per', 'day'],
  ['--per', 'year', '--set', '5'],
  ['--per', 'day', '--set', '5', '--unset'],
  ['--per', 'day', '--set', '5', '--of', 'euros'],
  ['--per', 'day', '--set', '5', '--tool', '../x'],
  ['--time-zone', 'Mars/Base'],
  ['--at-once=-1'],
  ['--per-minute=many'],
])
  test(`${flags.join(' ')} is refused, and what stood stays`, async ({ rig }) => {
    await budget(rig, '--at-once', '2');
    const before = readFileSync(fileOf(rig), 'utf8');
    const { code, stdout, stderr } = await budget(rig, ...flags);
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, /^tollgate budget: \S/);
    assert.is(readFileSync(fileOf(rig), 'utf8'), before);
  });

test('what is refused before there are limits makes no file of them', async ({ rig }) => {
  assert.is((await budget(rig, '--time-zone', 'Mars/Base')).code, 2);
  assert.not.ok(existsSync(fileOf(rig)));
});

test.run();
