// MCP servers that do not start, and one that dies while its tool is called: reported by name, and no request where one is required.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { CLIS, RealHome } from './real-home.ts';

const OLDER = path.join(import.meta.dirname, 'older/node_modules');

/** Answers as a server with one tool, and dies when that is called. */
const MORTAL = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'tools/call') process.exit(1);
  const told = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'helper', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'look', description: 'looks', inputSchema: { type: 'object', properties: {} } }] }),
  }[method];
  if (told) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: told() }));
})`;

const SERVERS = {
  missing: { command: '/no/such/program', args: [] },
  mortal: { command: process.execPath, args: ['-e', MORTAL] },
  /** Dies when its tools are listed. */
  mute: { command: process.execPath, args: ['-e', MORTAL.replaceAll("'tools/call'", "'tools/list'")] },
} as const;

type Name = keyof typeof SERVERS;

function configure(home: RealHome, tool: BuiltIn, name: Name): void {
  const server = SERVERS[name];
  const inHome = (file: string, change: (text: string) => string) => {
    const place = path.join(home.home, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, change(existsSync(place) ? readFileSync(place, 'utf8') : '{}'));
  };
  const with_ = (one: object) => (text: string) => JSON.stringify({ ...JSON.parse(text), mcpServers: { [name]: one } });
  if (tool === 'claude') home.write('.mcp.json', with_(server)('{}'));
  if (tool === 'copilot') inHome('.copilot/mcp-config.json', with_({ type: 'local', tools: ['*'], ...server }));
  if (tool === 'gemini') inHome('.gemini/settings.json', with_(server));
  if (tool === 'codex') {
    const table = `\n[mcp_servers.${name}]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`;
    inHome('.codex/config.toml', (text) => text + table);
  }
}

interface Made {
  code: number | null;
  record: CallRecord;
  requests: number;
  left: unknown[];
}

async function made(
  tool: BuiltIn,
  name: Name | ((home: RealHome) => void),
  scenario: string,
  flags: string[],
  clis = CLIS,
): Promise<Made> {
  const api = await startModelApi();
  const home = new RealHome(tool, api.url(scenario), clis);
  try {
    if (typeof name === 'function') name(home);
    else configure(home, tool, name);
    const argv = [
      '--prompt-file',
      home.write('prompt.md', 'Look.\n'),
      '--out',
      'out',
      '--err',
      'err',
      '--result',
      'record',
    ];
    const { code } = await home.start(ADAPTERS[tool].command, [...argv, '--trust-workspace', ...flags]).result;
    const record = JSON.parse(readFileSync(path.join(home.project, 'record'), 'utf8')) as CallRecord;
    return { code, record, requests: api.paid().length, left: home.survivors() };
  } finally {
    await home.dispose();
    await api.close();
  }
}

const VERSIONS: [name: string, tool: BuiltIn, clis: string][] = [
  ...(['claude', 'copilot', 'codex', 'gemini'] as const).map((tool): [string, BuiltIn, string] => [tool, tool, CLIS]),
  ['claude, an older one', 'claude', OLDER],
  ['copilot, an older one', 'copilot', OLDER],
];

for (const [name, tool, clis] of VERSIONS) {
  test(`${name}: a server that does not start is a warning with its name`, async () => {
    const { code, record, requests } = await made(tool, 'missing', 'ok', [], clis);
    assert.is(code, 0, JSON.stringify(record.verdict));
    assert.is(requests, 1);
    assert.match(record.warnings.join('\n'), 'MCP server "missing" failed');
  });

  // Whether one is named or each is required is our own decision.
  for (const required of clis === CLIS ? ['missing', 'all'] : ['all'])
    test(`${name}: --require-mcp ${required} fails without a request`, async () => {
      const { record, requests, left } = await made(tool, 'missing', 'ok', ['--require-mcp', required], clis);
      assert.equal([record.verdict.class, record.verdict.reason], ['tooling', 'mcp_server'], JSON.stringify(record));
      assert.is(requests, 0);
      assert.equal(left, []);
    });
}

for (const [tool, file] of [
  ['claude', '.mcp.json'],
  ['copilot', '.copilot/mcp-config.json'],
] as const)
  test(`${tool}: a file of servers that is not JSON is a warning, and with --require-mcp a refusal`, async () => {
    const broken = (home: RealHome) =>
      home.write(
        tool === 'claude' ? file : path.relative(home.project, path.join(home.home, file)),
        '{"mcpServers": {"db": {"command": "x"}, }',
      );
    const { code, record, requests } = await made(tool, broken, 'ok', []);
    assert.equal([code, requests], [0, 1], JSON.stringify(record.verdict));
    assert.match(record.warnings[0]!, /^the MCP servers of .* did not start, .*; the agent worked without them$/);
    const refused = await made(tool, broken, 'ok', ['--require-mcp', 'db']);
    assert.equal([refused.record.verdict.reason, refused.requests], ['mcp_server', 0]);
  });

for (const tool of ['claude', 'copilot'] as const)
  test(`${tool}: a server that dies when its tools are listed has failed`, async () => {
    const { code, record } = await made(tool, 'mute', 'ok', []);
    assert.is(code, 0, JSON.stringify(record.verdict));
    // claude begins without waiting for a server that is not required.
    assert.match(record.warnings.join('\n'), /MCP server "mute" (?:failed: it|was not connected)/);
    const required = await made(tool, 'mute', 'ok', ['--require-mcp', 'mute']);
    assert.is(required.record.verdict.reason, 'mcp_server', JSON.stringify(required.record.verdict));
  });

test('claude: settings that are not JSON are a refusal, and a wrong value is a warning', async () => {
  const settings = (text: string) => (home: RealHome) => home.write('.claude/settings.json', text);
  const refused = await made('claude', settings('{"permissions": {"deny": ["Bash(rm:*)"],}}'), 'ok', []);
  assert.equal([refused.record.verdict.reason, refused.requests], ['config', 0]);
  const { code, record } = await made(
    'claude',
    settings('{"permissions": {"deny": ["Bash(rm:*)"]}, "model": 5}'),
    'ok',
    [],
  );
  assert.is(code, 0, JSON.stringify(record.verdict));
  assert.match(record.warnings.join('\n'), 'an invalid setting, which may cost its whole file with the deny rules: ');
});

const CALLS = { claude: 'mcp__mortal__look', copilot: 'mortal-look', gemini: 'mcp_mortal_look' } as const;
for (const tool of ['claude', 'copilot', 'gemini'] as const) {
  const flags = ['--access', 'full', '--require-mcp', 'mortal'];
  test(`${tool}: a required server serves, and dies while its tool is called`, async () => {
    const { record, requests, left } = await made(tool, 'mortal', `callraw=${CALLS[tool]}:{}`, flags);
    assert.equal([record.verdict.class, record.verdict.reason], ['tooling', 'mcp_server'], JSON.stringify(record));
    assert.match(record.warnings.join('\n'), 'MCP server "mortal" ended during the call');
    assert.ok(requests >= 1 && requests <= 2);
    assert.equal(left, []);
  });
}

for (const tool of ['claude', 'copilot', 'codex', 'gemini'] as const)
  test(`${tool}: a required server that serves is no failure`, async () => {
    const { code, record, requests } = await made(tool, 'mortal', 'ok', ['--require-mcp', 'mortal']);
    assert.is(code, 0, JSON.stringify(record.verdict));
    assert.is(requests, 1);
    assert.not.match(record.warnings.join('\n'), 'mortal');
  });

test.run();
