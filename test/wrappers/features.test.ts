// The tables of what the rows rely on are whole: each flag, setting, variable and event that a row uses stands there, and no other.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { TESTED_VERSIONS } from '../../policies/manifest/tested-versions.ts';
import type { Access, Adapter, CallRequest } from '../../wrappers/adapter.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { READ as CLAUDE_EVENTS } from '../../wrappers/claude/events.ts';
import { READ as CODEX_EVENTS } from '../../wrappers/codex/events.ts';
import { READ as COPILOT_EVENTS } from '../../wrappers/copilot/events.ts';
import { type Feature, lacking, withoutFlags } from '../../wrappers/feature.ts';
import { READ as GEMINI_EVENTS } from '../../wrappers/gemini/events.ts';
import type { OwnFlag } from '../../wrappers/own-flags.ts';

const EVENTS = { gemini: GEMINI_EVENTS, copilot: COPILOT_EVENTS, codex: CODEX_EVENTS, claude: CLAUDE_EVENTS };

/** Every kind of call that a row makes something else of. */
function requestsIn(cwd: string, flags: Adapter['own']): CallRequest[] {
  const given = ({ takes, choices }: OwnFlag): string | true | string[] =>
    choices?.at(-1) ?? (takes === 'texts' ? ['a'] : takes === 'text' ? 'a' : true);
  const own = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, given(flag)]));
  const plain: CallRequest = {
    model: null,
    resumeSession: null,
    newSession: 'NEW',
    access: 'read',
    maxTurns: null,
    innerRetries: 'cut',
    trustWorkspace: false,
    cwd,
    environment: { HOME: cwd, CODEX_API_KEY: 'k', GEMINI_CLI_SYSTEM_SETTINGS_PATH: path.join(cwd, 'none') },
    own: {},
  };
  return [
    plain,
    { ...plain, model: 'm', resumeSession: 'OLD', maxTurns: 3, trustWorkspace: true },
    ...(['write', 'full'] as Access[]).map((access) => ({ ...plain, access })),
    { ...plain, own },
    { ...plain, maxUsd: 1 },
    { ...plain, requires: { servers: ['a'], denied: 'note' } },
    { ...plain, requires: { servers: [], denied: 'note', schema: { type: 'object', additionalProperties: false } } },
    { ...plain, access: 'write', own: { 'allow-commit': true } },
    { ...plain, environment: { HOME: cwd, ANTHROPIC_BASE_URL: 'https://gateway' } },
  ];
}

type Use = Pick<Feature, 'kind' | 'name'>;

function usesOf(adapter: Adapter, request: CallRequest): Use[] {
  const overlay = adapter.overlay(request);
  const counting = adapter.usageFile === null ? [] : [adapter.usageFile.argument('/x')];
  const schema = request.requires?.schema;
  const formed = schema === undefined ? [] : (adapter.answerSchema?.argv(schema, '/schema.json') ?? []);
  const log = adapter.log?.request('/log', request);
  const argv = adapter.argv(request, [...overlay.argv, ...counting, ...formed, ...(log?.argv ?? [])]);
  const flags = argv.filter((word) => /^-./.test(word)).map((word) => word.replace(/=.*/, ''));
  const settings = argv.flatMap((word, at) =>
    argv[at - 1] === '-c' ? [word.replace(/=.*/, '').replace(/^mcp_servers\.a\./, 'mcp_servers.*.')] : [],
  );
  const variables = Object.keys({
    ...adapter.environment(request),
    ...overlay.environment,
    ...ofSettings(argv),
    ...log?.environment,
  });
  const file = overlay.environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH;
  const ofFile = file === undefined ? [] : pathsIn(JSON.parse(readFileSync(file, 'utf8')));
  for (const folder of overlay.folders) rmSync(folder, { recursive: true });
  return [
    ...flags.map((name) => ({ kind: 'flag' as const, name })),
    ...[...settings.map((name) => name.replace('.tollgate.', '.*.')), ...ofFile].map((name) => ({
      kind: 'setting' as const,
      name,
    })),
    ...variables.map((name) => ({ kind: 'variable' as const, name })),
  ];
}

/** Variables that claude takes from settings in its argument. */
function ofSettings(argv: readonly string[]): object {
  const at = argv.indexOf('--settings');
  return at === -1 ? {} : (JSON.parse(argv[at + 1]!) as { env: object }).env;
}

const pathsIn = (settings: Record<string, object>): string[] =>
  Object.entries(settings).flatMap(([group, values]) => Object.keys(values).map((name) => `${group}.${name}`));

const lines = (uses: readonly Use[]) => [...new Set(uses.map(({ kind, name }) => `${kind} ${name}`))].sort();

for (const tool of TOOLS)
  test(`${tool}: what the row uses is what its table has`, () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'features-'));
    mkdirSync(path.join(cwd, '.git/objects'), { recursive: true });
    writeFileSync(path.join(cwd, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(path.join(cwd, '.mcp.json'), '{"mcpServers":{}}');
    try {
      const used = requestsIn(cwd, ADAPTERS[tool].own).flatMap((request) => usesOf(ADAPTERS[tool], request));
      const events = Object.keys(EVENTS[tool]).map((name) => ({ kind: 'event' as const, name }));
      // Only root's folders are safe enough for gemini's settings of one call.
      const isSafe = tool !== 'gemini' || used.some(({ kind }) => kind === 'setting');
      const table = ADAPTERS[tool].features.filter(
        ({ kind, name }) => isSafe || !/^setting|SETTINGS/.test(kind + name),
      );
      assert.equal(lines([...used, ...events]), lines(table));
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

for (const tool of TOOLS)
  test(`${tool}: what came later than the oldest tested version can be done without`, () => {
    const needed = ADAPTERS[tool].features.filter((feature) => feature.since !== null && feature.without === null);
    assert.equal(needed, []);
    assert.equal(lacking(ADAPTERS[tool].features, TESTED_VERSIONS[tool].tested.at(-1)!), []);
  });

const LACKED: readonly [tool: BuiltIn, version: string | null, names: string[]][] = [
  ['copilot', '1.0.80', ['--usage-output-file', 'session.mcp_server_tools_loaded']],
  ['copilot', '1.0.81', ['session.mcp_server_tools_loaded']],
  ['copilot', '1.0.81-0', ['session.mcp_server_tools_loaded']],
  ['copilot', '1.0.102', []],
  ['copilot', null, []],
  ['codex', '0.137.0', []],
];
for (const [tool, version, names] of LACKED)
  test(`${tool} ${version} lacks ${names.join(', ') || 'nothing'}`, () => {
    assert.equal(
      lacking(ADAPTERS[tool].features, version).map(({ name }) => name),
      names,
    );
  });

test('docs/calls.md tells what older versions lack', () => {
  const rows = readFileSync('docs/calls.md', 'utf8').matchAll(
    /^\| (\w+) \| `([\w.-]+)` \| (\d+\.\d+\.\d+) \| (.*) \|$/gm,
  );
  const late = TOOLS.flatMap((tool) => ADAPTERS[tool].features.map((feature) => ({ tool, ...feature })));
  assert.equal(
    [...rows].map(([, ...cells]) => cells),
    late.flatMap(({ tool, name, since, without }) => (since === null ? [] : [[tool, name, since, without]])),
  );
});

test('only a flag that a call can do without is left out, with its value', () => {
  const feature = (name: string, without: string | null): Feature => ({ kind: 'flag', name, since: null, without });
  const argv = ['--a=1', '--ab', '--b', '-', '--a'];
  assert.equal(withoutFlags(argv, [feature('--a', 'x'), feature('--b', null)]), ['--ab', '--b', '-']);
});

test.run();
