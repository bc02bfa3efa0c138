// MCP servers of a trusted folder: their tools answer, and they end with the call. With full access claude uses them unasked, as root too.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

/** Answers whatever it is asked as a server with one tool. */
const SERVER = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const told = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'helper', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'look', description: 'looks', inputSchema: { type: 'object', properties: {} } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'what the server saw' }] }),
  }[method];
  if (told) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: told() }));
})`;

test('claude calls it unasked', async () => {
  const api = await startModelApi();
  const home = new RealHome('claude', api.url('callraw=mcp__helper__look:{}'));
  try {
    home.write('.mcp.json', JSON.stringify({ mcpServers: { helper: { command: 'node', args: ['-e', SERVER] } } }));
    const argv = ['--prompt-file', home.write('prompt.md', 'Look.\n'), '--out', 'out', '--err', 'err'];
    const { code } = await home.start(ADAPTERS.claude.command, [...argv, '--trust-workspace', '--access', 'full'])
      .result;
    assert.is(code, 0);
    const bodies = api.paid().map(({ body }) => body);
    assert.is(bodies.length, 2);
    assert.match(bodies[1]!, '"what the server saw"');
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
    await api.close();
  }
});

const TOML = `[mcp_servers.helper]\ncommand = "node"\nargs = ["-e", ${JSON.stringify(SERVER)}]\n`;
const JSON_FILE = JSON.stringify({ mcpServers: { helper: { command: 'node', args: ['-e', SERVER], tools: ['*'] } } });
const OF_PROJECT = [
  ['codex', '.codex/config.toml', TOML, 'read'],
  ['copilot', '.mcp.json', JSON_FILE, 'read'],
  ['copilot', '.mcp.json', JSON_FILE, 'write'],
  ['claude', '.mcp.json', JSON_FILE, 'read'],
] as const;
for (const [tool, file, text, access] of OF_PROJECT)
  test(`${tool}, ${access}: a server that only the project configures serves in a trusted folder`, async () => {
    const api = await startModelApi();
    const home = new RealHome(tool, api.url('ok'));
    try {
      home.write(file, text);
      const argv = ['--prompt-file', home.write('prompt.md', 'Look.\n'), '--access', access, '--require-mcp', 'helper'];
      const { code, stderr } = await home.start(ADAPTERS[tool].command, [...argv, '--trust-workspace']).result;
      assert.is(code, 0, stderr);
      assert.not.match(stderr, 'warning: MCP server');
      assert.equal(home.survivors(), []);
    } finally {
      await home.dispose();
      await api.close();
    }
  });

test.run();
