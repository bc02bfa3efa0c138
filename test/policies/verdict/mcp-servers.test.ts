// The names of servers, out of what the CLIs say when one did not serve.

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serversIn } from '../../../policies/rules/mcp.ts';

const ROWS: [text: string, names: string[]][] = [
  ["Error during discovery for MCP server 'docs': MCP error -32000: Connection closed", ['docs']],
  ["Error during discovery for server 'docs': Connection failed for 'docs'", ['docs']],
  ['MCP ERROR (docs): Error: read ECONNRESET', ['docs']],
  ["Could not connect to the 'docs' MCP server", ['docs']],
  ['Error discovering tools from docs: MCP error -32601: Method not found', ['docs']],
  ['MCP client for `docs` failed to start: request timed out', ['docs']],
  ['The `docs` MCP server is not logged in. Run `codex mcp login docs`.', ['docs']],
  ['required MCP servers failed to initialize: docs: request timed out (code -32603)', ['docs']],
  ['MCP startup incomplete (failed: docs, jira)', ['docs', 'jira']],
  ['MCP startup interrupted. The following servers were not initialized: docs, jira', ['docs', 'jira']],
  ['tool call failed for `docs/search`', ['docs']],
  ['mcp: docs failed: request timed out', ['docs']],
  ['MCP server "@scope/docs" failed to start: spawn npx ENOENT', ['@scope/docs']],
  ['Failed to start MCP client for remote server github-mcp-server: TypeError: fetch failed', ['github-mcp-server']],
  ['MCP transport for docs closed unexpectedly', ['docs']],
  ['2 MCP servers failed to connect: docs, jira. Run /mcp show <server-name> for details.', ['docs', 'jira']],
  ['Lost connection to MCP server docs', ['docs']],
  ['Streamable HTTP error: Error POSTing to endpoint (HTTP 404)', []],
  ['exec failed: the MCP server is not connected', []],
  ['MCP server "a\u001b[2Jb" failed to start', []],
  ['', []],
];
for (const [text, names] of ROWS) test(`${text}`, () => assert.equal(serversIn(text), names));

test('of the servers of the corpus nine in ten are named', () => {
  const lines = ['seen-j', 'seen-k'].flatMap((set) =>
    readFileSync(`test/corpus/${set}/mcp.jsonl`, 'utf8').trimEnd().split('\n'),
  );
  const cases = lines.map((line) => JSON.parse(line) as { reason?: string; stderr: string; stdout?: string });
  const texts = cases
    .filter(({ reason }) => reason === 'mcp_server')
    .map((one) => `${one.stderr}\n${one.stdout ?? ''}`);
  const unnamed = texts.filter((text) => serversIn(text.replaceAll('\\"', '"')).length === 0);
  assert.ok(unnamed.length * 10 <= texts.length, `${unnamed.length} of ${texts.length}:\n${unnamed.join('\n')}`);
});

test.run();
