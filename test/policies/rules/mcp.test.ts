// A server that did not serve: judged as such where it is all that was said, and never in place of the model's own failure.

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Triaged, triage } from '../../../loops/report/triage.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { serversIn } from '../../../policies/rules/mcp.ts';
import { NOW } from '../replay.ts';

const told = (tool: BuiltIn, stderr: string, stdout = '', exitCode = 1): Triaged =>
  triage({ tool, exitCode, signal: null, ending: 'exited', stderr, stdout }, { now: NOW, timeZone: 'UTC' });

const verdictOf = ({ verdict: { class: errorClass, reason } }: Triaged) => `${errorClass} (${reason})`;

const DOWN = {
  gemini: "Error during discovery for MCP server 'docs': MCP error -32000: Connection closed",
  codex: 'ERROR: MCP client for `docs` failed to start: MCP startup failed: request timed out',
  copilot: 'MCP server "docs" failed to start: spawn npx ENOENT',
  // It goes on without one, and says nothing; this is of its log.
  claude: 'MCP server "docs": Connection failed: spawn npx ENOENT',
} as const satisfies Record<BuiltIn, string>;

for (const [tool, line] of Object.entries(DOWN) as [BuiltIn, string][])
  test(`${tool}: a server that is down is all that was said`, () => {
    const one = told(tool, `${line}\n`);
    assert.is(verdictOf(one), 'tooling (mcp_server)');
    assert.match(one.verdict.evidence!.text, 'docs');
  });

const ALONE: [tool: BuiltIn, line: string, verdict: string][] = [
  ['gemini', 'MCP ERROR (docs): Error: SSE error: Non-200 status code (401)', 'tooling (mcp_server)'],
  [
    'gemini',
    "Error during discovery for MCP server 'docs': connect ECONNREFUSED 127.0.0.1:3845",
    'tooling (mcp_server)',
  ],
  ['gemini', "MCP server 'docs' requires authentication using: /mcp auth docs", 'auth (mcp_server)'],
  ['codex', 'ERROR: The `docs` MCP server is not logged in. Run `codex mcp login docs`.', 'auth (mcp_server)'],
  ['codex', 'ERROR: tool call error: tool call failed for `docs/search`', 'tooling (mcp_server)'],
  [
    'copilot',
    'Failed to connect to MCP server "docs": Error POSTing to endpoint (HTTP 429): slow down',
    'tooling (mcp_server)',
  ],
  ['copilot', "MCP server 'docs' exited with code 1", 'tooling (mcp_server)'],
  ['copilot', 'MCP server "docs" crashed: JavaScript heap out of memory', 'tooling (mcp_server)'],
];
for (const [tool, line, verdict] of ALONE)
  test(`${tool}: ${line}`, () => assert.is(verdictOf(told(tool, `${line}\n`)), verdict));

test('what gemini says of a server in two lines is one failure', () => {
  const said = `failed to start or connect to MCP server 'docs' {"command":"python","timeout":15000}; \nError: spawn python ENOENT\n`;
  const one = told('gemini', said);
  assert.is(verdictOf(one), 'tooling (mcp_server)');
  assert.match(one.verdict.evidence!.text, /'docs'[\s\S]*spawn python ENOENT/);
});

const BESIDE: [what: string, tool: BuiltIn, stderr: string, stdout: string, verdict: string][] = [
  [
    'a spent quota after it',
    'gemini',
    `${DOWN.gemini}\nError when talking to Gemini API TerminalQuotaError: You have exhausted your daily quota on this model.\n`,
    '',
    'quota (period)',
  ],
  [
    'a refused key before it',
    'gemini',
    `Error when talking to Gemini API _ApiError: {"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}\n${DOWN.gemini}\n`,
    '',
    'auth (bad_key)',
  ],
  [
    'words of the model that no specific row knows, and an error event of the server',
    'codex',
    '',
    `${JSON.stringify({ type: 'turn.started' })}\n${JSON.stringify({ type: 'error', message: DOWN.codex })}\n${JSON.stringify({ type: 'turn.failed', error: { message: 'the backend is down for maintenance' } })}\n`,
    'transient (server_error)',
  ],
  [
    'a refused login',
    'copilot',
    `${DOWN.copilot}\nAuthentication failed with provider at https://llm.example (HTTP 401).\n`,
    '',
    'auth (bad_credentials)',
  ],
];
for (const [what, tool, stderr, stdout, verdict] of BESIDE)
  test(`${tool}: ${what} decides`, () => assert.is(verdictOf(told(tool, stderr, stdout)), verdict));

for (const [tool, line] of Object.entries(DOWN) as [BuiltIn, string][])
  test(`${tool}: a success stays one`, () => {
    const quiet = line.replace(/^ERROR: /, 'mcp: docs failed: ');
    assert.is(verdictOf(told(tool, `${quiet}\n`, 'All tests pass now.\n', 0)), 'null (null)');
  });

const NOTICES: [tool: BuiltIn, line: string][] = [
  ['gemini', "MCP server 'docs' enabled for every session, expected tools: 12"],
  ['gemini', 'Connecting to MCP servers... (1/2) - Waiting for: docs'],
  ['copilot', 'Connected to MCP server "docs" in 300 ms'],
];
for (const [tool, line] of NOTICES)
  test(`${tool}: a notice of a server tells nothing: ${line}`, () =>
    assert.is(verdictOf(told(tool, `${line}\n`)), 'unknown (unmatched)'));

const KINDS: [what: string, line: (server: string) => string][] = [
  ['gemini', (server) => `Error during discovery for MCP server '${server}': MCP error -32000: Connection closed`],
  [
    'an older gemini',
    (server) => `Error during discovery for server '${server}': SSE error: Non-200 status code (404)`,
  ],
  ['gemini of an error', (server) => `MCP ERROR (${server}): Error: read ECONNRESET`],
  ['codex', (server) => `ERROR: MCP client for \`${server}\` failed to start: request timed out`],
  [
    'codex of a required one',
    (server) => `Error: required MCP servers failed to initialize: ${server}: request timed out`,
  ],
  ['copilot', (server) => `MCP server "${server}" failed to start: spawn npx ENOENT`],
];
for (const [what, line] of KINDS)
  test(`two servers are two failures, and one is one: ${what}`, () => {
    const of = (server: string) => told('gemini', `${line(server)}\n`).signature!.signature;
    assert.is.not(of('docs'), of('jira'));
    assert.is(of('docs'), of('docs'));
  });

test('a failure keeps its signature whatever server failed beside it', () => {
  const said =
    'Error when talking to Gemini API RetryableQuotaError: The model is overloaded. Please try again later.\n';
  const one = told('gemini', said).signature!.signature;
  assert.is(told('gemini', `${DOWN.gemini}\n${said}`).signature!.signature, one);
  assert.is(told('gemini', `${said}MCP ERROR (jira): Error: read ECONNRESET\n`).signature!.signature, one);
});

// The names of servers, out of what the CLIs say when one did not serve.

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
