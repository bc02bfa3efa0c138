// Extracts the servers that a failure names, from the wording of each CLI.

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
