// What the real CLIs do when they are resumed in another folder, and after the service refused what their tools brought.

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { isPaired } from '../rig/model-api/sent-history.ts';
import { callReal } from './real-talk.ts';
import { lastHistory, linesIn, runTask, saidIn, within } from './real-task.ts';
import type { RouteName } from './routes.ts';

/** Does another folder go on in the same session? */
const FOLDERS: [tool: BuiltIn, goesOn: boolean][] = [
  ['copilot', false],
  ['codex', true],
  ['claude', true],
];
for (const [tool, goesOn] of FOLDERS)
  test(`${tool}: a task in another folder of its feature works there`, () =>
    within(tool, async (home, api) => {
      const inner = path.join(home.project, 'inner');
      mkdirSync(inner);
      api.script(['tool=pwd >> trace', 'says=first', 'tool=pwd >> trace', 'says=second']);
      const first = await runTask(home, tool, 'one', { role: 'impl' });
      const second = await runTask(home, tool, 'two', { role: 'impl', cwd: 'inner' });
      assert.equal([first.exit_code, second.exit_code], [0, 0], JSON.stringify([first.failure, second.failure]));
      assert.equal(
        [linesIn(path.join(home.project, 'trace')), linesIn(path.join(inner, 'trace'))],
        [[home.project], [inner]],
      );
      const said = saidIn(api);
      // The note says what came of the earlier task; only the session itself holds its prompt.
      const prompts = said.split('# How to read this').length - 1;
      const isTold = said.includes(`- one: Do what one asks.; nothing is open; done: ${tool}_impl: first`);
      assert.equal([prompts, isTold], [goesOn ? 2 : 1, !goesOn]);
      // The first folder's own session is still gone on with there.
      api.script(['says=third']);
      const third = await runTask(home, tool, 'three');
      const id = first.stages[0]!.session_id!;
      assert.is(third.stages[0]!.session_id, id);
      assert.match(saidIn(api), 'Do what one asks.');
      if (goesOn) return;
      // Named from the other folder it is refused, and nothing is asked.
      const asked = api.paid().length;
      const named = await runTask(home, tool, 'four', { cwd: 'inner', meta: { session_id: id } });
      assert.equal([named.exit_code, api.paid().length], [2, asked]);
      assert.match(named.failure!.evidence!.text, `${tool} session ${id} works in ${home.project}`);
    }));

for (const tool of ['codex', 'copilot', 'claude'] as const)
  test(`${tool}: a tool whose result was refused is not run again`, () =>
    within(tool, async (home, api) => {
      api.script(['tool=echo ran >> trace', 'mismatch', 'says=done']);
      const report = await runTask(home, tool, 'one', { role: 'impl' });
      assert.is(report.exit_code, 0, JSON.stringify(report.failure));
      assert.equal([linesIn(path.join(home.project, 'trace')), api.paid().length], [['ran'], 3]);
      const sent = lastHistory(api);
      assert.ok(isPaired(sent));
      assert.is(sent.flatMap(({ responses }) => responses).length, 1);
      assert.match(sent.at(-1)!.text, 'Your last turn was cut off. Continue from where it stopped');
    }));

/** Each in the words of its own service. */
const REFUSED: [route: RouteName, tool: BuiltIn, words: string][] = [
  ['codex', 'codex', "Invalid value: 'input_text'"],
  ['claude', 'claude', 'each tool_use must have a single result'],
  ['copilot by messages', 'copilot', 'each tool_use must have a single result'],
  ['gemini', 'gemini', 'contents.parts must not be empty'],
];
for (const [route, tool, words] of REFUSED)
  test(`${route}: ${words}: a broken history, in the log, and asked once more`, () =>
    within(route, async (home, api) => {
      // Of a session that the wrapper began, the first call is the only one.
      const { session_id } = await callReal(home, tool, 'PROMPT-A', []);
      api.script(['parts', 'says=second']);
      const report = await runTask(home, tool, 'two', { meta: { session_id } });
      assert.is(report.exit_code, 0, JSON.stringify(report.failure));
      assert.equal(
        ['PROMPT-A', 'Do what two asks.'].map((prompt) => saidIn(api).split(prompt).length - 1),
        [1, 1],
      );
      const log = readFileSync(path.join(home.project, '.tmp/state/api_errors.log'), 'utf8');
      assert.match(log, words);
      assert.match(log, 'broken_history');
    }));

for (const tool of ['copilot', 'claude'] as const)
  test(`${tool}: of a call that goes on in a session only its own tokens are booked`, () =>
    within(tool, async (home) => {
      const first = await callReal(home, tool, 'Say hello.', []);
      const second = await callReal(home, tool, 'Say hello.', ['--resume-session', first.session_id!]);
      assert.equal(
        [first, second].map(({ usage }) => [usage.total_tokens, usage.api_requests]),
        [
          [18, 1],
          [18, 1],
        ],
      );
    }));

test.run();
