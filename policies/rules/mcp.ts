// Defines the rules for a failed Model Context Protocol server of the CLI, and extracts the names of such servers.

import { mayFit, near, type RuleRow } from './rule.ts';

/** What a CLI calls a server, or its own end of the connection. */
const SERVER =
  '(?:MCP|Model Context Protocol) (?:clients?|connections?|endpoints?|(?:HTTP )?headers helper|handshakes?|hosts?|initiali[sz]ation|process(?:es)?|servers?|sessions?|startup|transports?)';

const FAILED = [
  'errors?|errored|fail(?:s|ed|ing|ure)?|fatal|could not|couldn.t|cannot|can.t|unable|refused|rejected|denied|crashed|died|killed|aborted',
  'closed|exited|ended|quit|terminated|stopped|lost|dropped|hung|disconnected|disconnect|interrupted|incomplete|gave up|giving up',
  'time[ds]?[ -]?out|no (?:response|answer|reply|tools)|unreachable|unavailable|unhealthy|offline|missing|invalid|unsupported|incompatible|malformed',
  '(?:is |was |are |were )?not (?:be )?(?:available|connected|defined|executable|found|initiali[sz]ed|installed|ready|reachable|responding|running|started|valid)|(?:did|does|do)(?: not|n.t) (?:answer|connect|exist|initiali[sz]e|reply|respond|return|start|support)|won.t start',
  String.raw`E(?:ACCES|AI_AGAIN|CONN[A-Z]{5,7}|HOSTUNREACH|INVAL|NETUNREACH|NOENT|NOEXEC|NOTFOUND|PERM|PIPE|TIMEDOUT)|os error \d+|-32\d{3}|HTTP [45]\d\d`,
].join('|');

/** The words of the protocol's own libraries, and of the CLIs when they name no server. */
const OF_THE_PROTOCOL = [
  String.raw`\bMCP error(?::|\s-32\d{3}|\s*\()`,
  String.raw`\bMCP issues detected\b`,
  String.raw`\bMCP:? [\w.@/-]{1,60}:? (?:failed|errored|timed out|exited|crashed|disconnected|closed)\b|\(MCP\):? [^\n]{0,40}\b(?:failed|error|timed out|exited|closed)\b`,
  String.raw`\bMcpError\b`,
  String.raw`\bMCP tool [\w.@/-]{1,120}[^\n]{0,60} not found\b`,
  String.raw`\brmcp(?:_client)?::|\bcodex_(?:rmcp_client|mcp)\b`,
  String.raw`\bSSE error:|\bSSE stream disconnected\b|\bFailed to open SSE stream\b`,
  String.raw`\b(?:Streamable ?HTTP|SSE|Stdio)(?:Client(?:Transport)?)?Error\b|\bStreamable HTTP error\b|\bError POSTing to endpoint\b`,
  String.raw`\berror (?:during discovery for|discovering (?:tools|prompts|resources) from)\b`,
  String.raw`\b(?:initialize|(?:tools|prompts|resources)\/(?:list|call|read|get)) (?:request |call )?(?:failed|timed out)\b|\b(?:awaiting|waiting for) (?:initialize|(?:tools|prompts|resources)\/\w+)`,
  String.raw`\btool call failed for .?[\w.@-]{1,80}\/[\w.@-]{1,80}`,
].join('|');

const TROUBLE = new RegExp(`${near(SERVER, FAILED).source}|${OF_THE_PROTOCOL}`, 'i');

/** Every text that TROUBLE matches contains one of these. */
const NEEDS = [
  ...['mcp', 'model context protocol', 'sse', 'stdio', 'streamable', 'posting to endpoint', 'discover'],
  ...['initialize', 'tools/', 'prompts/', 'resources/', 'waiting for ', 'tool call failed for'],
] as const;

/** A server that the call cannot do without. */
export const isRequired = (text: string): boolean => /\brequired MCP servers?\b/i.test(text);

/** A failure that does not end the call, which continues without that server. */
export const isOfHelper = (text: string): boolean =>
  mayFit(text.toLowerCase(), NEEDS) && TROUBLE.test(text) && !isRequired(text);

/** These come first: any failure of a server (a status, a time-out, a missing file) concerns the server, not the model. */
export const MCP_RULES = [
  {
    // The CLI itself is signed in; the server requires a sign-in.
    id: 'mcp-sign-in',
    needs: ['mcp'],
    text: /\bMCP servers?\b[^\n]{0,120}(?:\bnot (?:logged|signed) in\b|\b(?:requires?|needs?) (?:\w+ )?(?:authentication|authori[sz]ation|sign-?in)\b|\bre-?authenticate\b|\bplease authenticate\b|\bOAuth\b[^\n]{0,40}\b(?:required|expired)\b)|\bmcp login\b|\/mcp auth\b|\bhandshaking with MCP server failed\b[^\n]{0,400}\b(?:AuthRequired|OAuth authorization required|Auth required)/i,
    class: 'auth',
    reason: 'mcp_server',
    proof: [{ message: 'The `docs` MCP server is not logged in. Run `codex mcp login docs`.' }],
  },
  {
    id: 'mcp-server',
    text: TROUBLE,
    needs: NEEDS,
    class: 'tooling',
    reason: 'mcp_server',
    proof: [
      { message: 'MCP client for `docs` timed out after 10 seconds.' },
      { message: "Error during discovery for MCP server 'docs': MCP error -32000: Connection closed" },
      { message: 'Streamable HTTP error: Error POSTing to endpoint (HTTP 404): not found', status: 404 },
    ],
  },
] as const satisfies readonly RuleRow[];

/** In the text's order, each once; empty if the text names none. */
export function serversIn(text: string): string[] {
  const said = NAMED.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined) ?? '';
  const names = said.split(/,\s{0,3}/).map((name) => name.trim().replace(/\.$/, ''));
  return [...new Set(names.filter((name) => NAME.test(name)))].slice(0, MOST);
}

/** The most specific first: a name in quotes, a list of names, a name between words that frame it. */
const NAMED: readonly RegExp[] = [
  /\b(?:MCP|discovery for) (?:clients?|servers?|transports?)(?: for)?(?: remote server)? [`'"]([^`'"\n]{1,80})[`'"]/i,
  /\b(?:the|to|with|from) [`'"]([^`'"\n]{1,80})[`'"] MCP server\b/i,
  /\bMCP ERROR \(([^)\n]{1,80})\)/i,
  /\brequired MCP servers? failed to initialize: ([^:\n]{1,80}):/i,
  /\bMCP startup incomplete \(failed: ([^)\n]{1,300})\)/i,
  /\bservers (?:failed to (?:connect|start)|were not initialized): ([\w@/-][\w.@/-]{0,80}(?:, [\w@/-][\w.@/-]{0,80}){0,9})/i,
  /\bmcp_servers\.([\w-]{1,80})/i,
  /\btool call failed for [`'"]([\w.@-]{1,80})\//i,
  /\bMCP client for remote server ([\w.@/-]{1,80})/i,
  /\bmcp: ([\w.@/-]{1,80}) failed\b/i,
  /\bMCP (?:client|server|transport)(?: for)? ([\w.@/-]{1,80}?):? (?:closed|crashed|died|disconnected|error|errored|exited|failed|timed out|was)\b/i,
  /\bconnection to MCP server ([\w.@/-]{1,80})/i,
  /\bdiscovering (?:tools|prompts|resources) from ([\w.@-]{1,80})/i,
];

/** A name that can appear in a settings file; a word of the sentence is not one. */
const NAME = /^(?!(?:and|for|is|not|that|the|this|to|which)$)[\w@][\w.@/ -]{0,79}$/;

const MOST = 10;
