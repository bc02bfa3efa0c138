// A disk that takes nothing more while something is changed by the console: each change says so, and nothing is half done.

import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openConsoleOf } from '../../../rig/console-client.ts';
import { faultEnv, faultShim } from '../../../rig/fault-shim.ts';
import { SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn } from '../../../rig/session-run.ts';
import { answerWith } from '../../../rig/streams.ts';
import { REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const shim = faultShim();
const test = suite<{ rig: TestRig }>('changes by the console on a full disk');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const can = shim === null ? test.skip : test;
if (shim === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');

const HOLD = { tool: 'codex', account: 'a', model: null, reason: 'usage_limit', probe: null };
const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
];

can('each says that the disk is full, and changes nothing', async ({ rig }) => {
  const question = JSON.stringify({ action: 'ask', question: 'Which?' });
  rig.answer(({ report: { tool } }) => answerWith(tool, tool === REASONER ? question : 'done'));
  await superviseTask(rig).supervise();
  const session = SESSION_IDS.codex;
  const file = makeIn(rig, 'codex', TURNS);
  const limits = path.join(rig.home, '.local/state/tollgate/limits');
  mkdirSync(limits, { recursive: true });
  const hold = { ...HOLD, until: Date.now() + 3_600_000, seen_at: Date.now() };
  writeFileSync(path.join(limits, 'holds.json'), JSON.stringify({ v: 1, holds: [hold] }));
  rig.write('republic.txt', 'The Republic, by Plato.\n');
  const was = readFileSync(file, 'utf8');
  const root = realpathSync(path.dirname(rig.project));
  Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under: root, does: 'ENOSPC', at: 1, times: 0 }));
  const page = await openConsoleOf(rig);
  const changes: [address: string, wish: object, status: number][] = [
    ['/api/limits', { tool: 'any', per: 'day', unit: 'calls', most: 7 }, 409],
    ['/api/release', { tool: 'codex', account: 'a', model: null }, 500],
    ['/api/answer', { task: 'fix', answer: 'The left one.' }, 409],
    ['/api/undo', { session }, 409],
    ['/api/recover', { session, choice: 'rollback' }, 409],
    [
      '/api/distill/start',
      { book: 'republic.txt', prompt: 'Distil this.', model: 'gemini-2.5-pro', max_calls: 9 },
      500,
    ],
  ];
  for (const [address, wish, expected] of changes) {
    const { status, value } = await page.post(address, wish);
    assert.is(status, expected, `${address}: ${JSON.stringify(value)}`);
    // What it was, where, and what to do about it.
    assert.match(
      value.message,
      /ENOSPC: no space left on device, \w+ '[^']+'.*(writable|free some space|nothing was changed)/,
      address,
    );
  }
  assert.is((await page.get('/api/budgets')).value.holds.length, 1);
  assert.is(
    (await page.get('/api/tasks')).value.tasks.find((task: { task_id: string }) => task.task_id === 'fix').state,
    'parked',
  );
  assert.is(readFileSync(file, 'utf8'), was);
  page.command.signal('SIGINT');
  assert.is((await page.command.result).code, 130);
});

test.run();
