// Which session a tag goes on with after failures, losses and a full context: seen in the request that the real CLI sends next.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RealHome } from './real-home.ts';
import { callReal } from './real-talk.ts';
import { runTask, saidIn, within } from './real-task.ts';

const sessionsFile = ({ project }: RealHome) => path.join(project, '.tmp/state/sessions.json');
const asksOnce = { budgets: { retry_budget: 0 } };

for (const [tool, busy] of [
  ['codex', '503'],
  ['claude', '529'],
] as const)
  test(`${tool}: a named session that failed three times is not gone on with, though its entry was damaged`, () =>
    within(tool, async (home, api) => {
      const named = { meta: { session_id: (await callReal(home, tool, 'PROMPT-A', [])).session_id! } };
      for (const id of ['one', 'two', 'three']) {
        api.script([busy]);
        assert.is((await runTask(home, tool, id, { ...named, ...asksOnce })).exit_code, 1);
        assert.match(saidIn(api), 'PROMPT-A');
      }
      const file = sessionsFile(home);
      const kept = readFileSync(file, 'utf8');
      const damaged = kept.replaceAll(/"error_count": \d+/g, '"error_count": "many"');
      assert.not.equal(damaged, kept);
      writeFileSync(file, damaged);
      const { stages } = await runTask(home, tool, 'four', named);
      assert.is.not(stages[0]!.session_id, named.meta.session_id);
      assert.equal([saidIn(api).includes('PROMPT-A'), saidIn(api).includes('Do what four asks.')], [false, true]);
    }));

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

for (const tool of ['gemini', 'claude'] as const)
  test(`${tool}: a full session is followed by a fresh one that is told what was done under the tag, without secrets`, () =>
    within(tool, async (home, api) => {
      api.script([`says=It is never renewed, the key is ${KEY}.`]);
      await runTask(home, tool, 'one');
      const file = sessionsFile(home);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"context_tokens": \d+/, '"context_tokens": 350001'));
      await runTask(home, tool, 'two');
      const said = saidIn(api);
      assert.match(said, `done: ${tool}_review: It is never renewed, the key is [`);
      assert.match(said, '- one: Do what one asks.; nothing is open; ');
      // Only the session itself holds the first prompt.
      assert.equal([said.split('# How to read this').length - 1, said.includes(KEY)], [1, false]);
    }));

for (const tool of ['codex', 'copilot', 'claude'] as const)
  test(`${tool}: a session that was taken on is found again without sessions.json, and by the beginning of its id`, () =>
    within(tool, async (home, api) => {
      const { session_id } = await callReal(home, tool, 'PROMPT-A', []);
      const words = ['sessions', 'adopt', 'shop', session_id!, `--tool=${tool}`];
      assert.is((await home.start('tollgate', words).result).code, 0);
      await runTask(home, tool, 'one');
      rmSync(sessionsFile(home));
      await runTask(home, tool, 'two');
      assert.equal(told(saidIn(api)), ['PROMPT-A', 'Do what one asks.', 'Do what two asks.']);
      await runTask(home, tool, 'three', { meta: { session_id: session_id!.slice(0, 13) } });
      assert.equal(told(saidIn(api)), ['PROMPT-A', 'Do what one asks.', 'Do what two asks.', 'Do what three asks.']);
    }));

test('gemini: a session whose resume failed is still there after a call in another session', () =>
  within('gemini', async (home, api) => {
    await runTask(home, 'gemini', 'one');
    api.script(['500']);
    assert.is((await runTask(home, 'gemini', 'two', asksOnce)).exit_code, 1);
    await callReal(home, 'gemini', 'PROMPT-A', []);
    await runTask(home, 'gemini', 'three');
    assert.match(saidIn(api), 'Do what one asks.');
  }));

test.run();

const told = (said: string): string[] => [...said.matchAll(/PROMPT-A|Do what \w+ asks\./g)].map(([prompt]) => prompt);
