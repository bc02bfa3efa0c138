// What the real CLIs do when they are resumed in another folder, and after the service refused what their tools brought.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import type { CallRecord } from '../../policies/call-record.ts';
import type { Tool } from '../../policies/tools.ts';
import { isPaired, sentHistory } from '../rig/model-api/sent-history.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';
import { RealHome } from './real-home.ts';
import type { RouteName } from './routes.ts';

const test = suite<{ api: ModelApi }>('resumed');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

async function within(api: ModelApi, route: RouteName, check: (home: RealHome) => Promise<void>): Promise<void> {
  const home = new RealHome(route, api.url('ok'));
  try {
    home.write('tollgate.yaml', 'sessions: {rest_sec: 0}\n');
    await check(home);
  } finally {
    await home.dispose();
  }
}

async function run(home: RealHome, tool: Tool, id: string, more: object = {}): Promise<RunReport> {
  const manifest = {
    task_id: id,
    goal: `Do what ${id} asks.`,
    meta: { feature: 'shop' },
    stages: [{ tool, role: 'impl', access: 'full', ...ANY_ANSWER }],
    ...more,
  };
  home.write(`.tmp/task/${id}/manifest.json`, JSON.stringify(manifest));
  const words = ['run', id, '--json', '--trust-workspace'];
  const { stdout, stderr } = await home.start('tollgate', words, { limitMs: 120_000 }).result;
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const lastHistory = (api: ModelApi) => {
  const { dialect, body } = api.paid().at(-1)!;
  return sentHistory(dialect!, JSON.parse(body));
};
const saidIn = (api: ModelApi): string =>
  lastHistory(api)
    .map(({ text }) => text)
    .join('\n');
const linesIn = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

/** Does another folder go on in the same session? */
const FOLDERS: [tool: Tool, goesOn: boolean][] = [
  ['copilot', false],
  ['codex', true],
];
for (const [tool, goesOn] of FOLDERS)
  test(`${tool}: a task in another folder of its feature works there`, ({ api }) =>
    within(api, tool, async (home) => {
      const inner = path.join(home.project, 'inner');
      mkdirSync(inner);
      api.script(['tool=pwd >> trace', 'says=first', 'tool=pwd >> trace', 'says=second']);
      const first = await run(home, tool, 'one');
      const second = await run(home, tool, 'two', { cwd: 'inner' });
      assert.equal([first.exit_code, second.exit_code], [0, 0], JSON.stringify([first.failure, second.failure]));
      assert.equal(
        [linesIn(path.join(home.project, 'trace')), linesIn(path.join(inner, 'trace'))],
        [[home.project], [inner]],
      );
      const said = saidIn(api);
      // The note says what came of the earlier task; only the session itself holds its prompt.
      const prompts = said.split('# How to read this').length - 1;
      assert.equal([prompts, said.includes('# Where the work stands')], [goesOn ? 2 : 1, !goesOn]);
      // The first folder's own session is still gone on with there.
      api.script(['says=third']);
      const third = await run(home, tool, 'three');
      assert.is(third.stages[0]!.session_id, first.stages[0]!.session_id);
      assert.match(saidIn(api), 'Do what one asks.');
    }));

test('copilot: a session that is named from another folder is refused, and nothing is asked', ({ api }) =>
  within(api, 'copilot', async (home) => {
    api.script(['tool=pwd >> trace', 'says=first']);
    const first = await run(home, 'copilot', 'one');
    mkdirSync(path.join(home.project, 'inner'));
    const asked = api.paid().length;
    const id = first.stages[0]!.session_id!;
    const second = await run(home, 'copilot', 'two', { cwd: 'inner', meta: { session_id: id } });
    assert.equal([second.exit_code, api.paid().length], [2, asked]);
    assert.match(second.failure!.evidence!.text, `copilot session ${id} works in ${home.project}`);
  }));

for (const tool of ['codex', 'copilot'] as const)
  test(`${tool}: a tool whose result was refused is not run again`, ({ api }) =>
    within(api, tool, async (home) => {
      api.script(['tool=echo ran >> trace', 'mismatch', 'says=done']);
      const report = await run(home, tool, 'one');
      assert.is(report.exit_code, 0, JSON.stringify(report.failure));
      assert.equal([linesIn(path.join(home.project, 'trace')), api.paid().length], [['ran'], 3]);
      const sent = lastHistory(api);
      assert.ok(isPaired(sent));
      assert.is(sent.flatMap(({ responses }) => responses).length, 1);
      assert.match(sent.at(-1)!.text, 'Your last turn was cut off. Go on from where it stopped');
    }));

/** Each in the words of its own service. */
const REFUSED: [route: RouteName, tool: Tool, words: string][] = [
  ['codex', 'codex', "Invalid value: 'input_text'"],
  ['copilot by messages', 'copilot', 'each tool_use must have a single result'],
  ['gemini', 'gemini', 'contents.parts must not be empty'],
];
for (const [route, tool, words] of REFUSED)
  test(`${route}: ${words}: a broken history, in the log, and asked once more`, ({ api }) =>
    within(api, route, async (home) => {
      const review = { tool, role: 'review', ...ANY_ANSWER };
      const stages = [tool === 'gemini' ? { ...review, model: 'gemini-2.5-flash' } : review];
      api.script(['says=first', 'parts', 'says=second']);
      await run(home, tool, 'one', { stages });
      const report = await run(home, tool, 'two', { stages });
      assert.is(report.exit_code, 0, JSON.stringify(report.failure));
      assert.is(saidIn(api).split('Do what two asks.').length - 1, 1);
      const log = readFileSync(path.join(home.project, '.tmp/state/api_errors.log'), 'utf8');
      assert.match(log, words);
      assert.match(log, 'broken_history');
    }));

test('copilot: of a call that goes on in a session only its own tokens are booked', ({ api }) =>
  within(api, 'copilot', async (home) => {
    const prompt = home.write('prompt.md', 'Say hello.\n');
    const file = (name: string) => path.join(home.root, name);
    const ask = async (more: string[]): Promise<CallRecord> => {
      const files = ['--out', file('out'), '--err', file('err'), '--result', file('result.json')];
      await home.start('copilot_tool', ['--prompt-file', prompt, ...files, '--trust-workspace', ...more]).result;
      return JSON.parse(readFileSync(file('result.json'), 'utf8'));
    };
    const first = await ask([]);
    const resume = ['--resume-session', first.session_id!];
    const records = [first, await ask(resume), await ask(resume)];
    assert.equal(
      records.map(({ usage }) => [usage.total_tokens, usage.api_requests]),
      [
        [18, 1],
        [18, 1],
        [18, 1],
      ],
    );
  }));

test.run();
