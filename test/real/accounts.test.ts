// Two accounts of each real CLI: the right key is sent, once each, and no session is in another account's folder.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { ModelApi } from '../rig/model-api.ts';
import type { RealHome } from './real-home.ts';
import { runTask, within } from './real-task.ts';
import { ROUTES, type RouteName } from './routes.ts';

const test = suite('accounts of real CLIs');

/** The keys of the two accounts; the one of the environment must never be sent. */
const FIRST = 'sk-test-first-00000000';
const SECOND = 'sk-test-second-0000000';

const BOTH = { FIRST_KEY: FIRST, SECOND_KEY: SECOND };

const WAYS = {
  gemini: 'gemini by key',
  copilot: 'copilot',
  codex: 'codex by key',
  claude: 'claude',
} as const satisfies Record<BuiltIn, RouteName>;

/** The folder of the CLI in a home, which its variable names; gemini's variable names the folder above. */
const FOLDERS = { gemini: '', copilot: '.copilot/', codex: '.codex/', claude: '.claude/' } as const;

function settle(home: RealHome, tool: BuiltIn, url: string): void {
  const files = Object.entries<string>(ROUTES[WAYS[tool]].files(url));
  for (const name of ['first', 'second'])
    for (const [file, text] of [['.made', ''], ...files] as const) {
      const place = path.join(home.home, name, file.replace(FOLDERS[tool], ''));
      mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
      writeFileSync(place, text);
    }
  const settings = path.join(home.home, '.config/tollgate/settings.yaml');
  mkdirSync(path.dirname(settings), { recursive: true });
  const row = (name: string) => `  ${name}: {tool: ${tool}, home: ~/${name}, key: ${name.toUpperCase()}_KEY}\n`;
  writeFileSync(settings, `accounts:\n${row('first')}${row('second')}`);
}

/** @param scenarios what the service answers, in turn. */
async function run(home: RealHome, api: ModelApi, tool: BuiltIn, scenarios: string[], keys: object = BOTH) {
  settle(home, tool, api.url('ok'));
  Object.assign(home.env, keys);
  api.script(scenarios);
  const model = tool === 'gemini' ? { model: 'gemini-2.5-flash' } : {};
  const stage = { tool, role: 'review', id: 'look', access: 'full', account: 'first', ...model };
  const fallback = [{ account: 'second', ...model }];
  const report = await runTask(home, tool, 'fix', { stages: [{ ...stage, fallback, requires: [], min_lines: 0 }] });
  return { report, keys: api.paid().map(({ key }) => key) };
}

/** The accounts in whose folders a file names the session. */
const holders = (home: RealHome, id: string): string[] =>
  ['first', 'second', '.gemini', '.copilot', '.codex', '.claude'].filter((name) => {
    const folder = path.join(home.home, name);
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    return names.some((file) => file.includes(id) || readIfFit(path.join(folder, file))?.includes(id) === true);
  });

for (const tool of TOOLS) {
  test(`${tool}: the first is out of quota, so the second answers in its own folder`, () =>
    within(WAYS[tool], async (home, api) => {
      const { report, keys } = await run(home, api, tool, ['429daily', 'ok']);
      assert.equal([report.state, keys], ['done', [FIRST, SECOND]]);
      const [look] = report.stages;
      assert.equal(holders(home, look!.session_id!), ['second']);
      assert.equal(home.survivors(), []);
    }));

  // What comes of two refusals is our own decision.
  if (tool === 'codex')
    test(`${tool}: both are out of quota`, () =>
      within(WAYS[tool], async (home, api) => {
        const { report, keys } = await run(home, api, tool, ['429daily', '429daily']);
        assert.equal([report.failure?.class, keys], ['quota', [FIRST, SECOND]]);
      }));

  test(`${tool}: the second is not signed in`, () =>
    within(WAYS[tool], async (home, api) => {
      const { report, keys } = await run(home, api, tool, ['429daily', 'ok'], { FIRST_KEY: FIRST });
      assert.equal([report.failure?.class, keys], ['auth', [FIRST]]);
    }));

  test(`${tool}: the quota ends during a tool use`, () =>
    within(WAYS[tool], async (home, api) => {
      const { report, keys } = await run(home, api, tool, ['tool', '429daily', 'ok']);
      assert.equal([report.failure?.class, keys], ['quota', [FIRST, FIRST]]);
    }));
}

test.run();
