// A server beside the model that did not serve: which one it is, and where it is configured.

import { toDo } from '../facts/next-action.ts';
import { type BuiltIn, rowOf } from '../facts/tools.ts';
import { serversIn } from '../verdict/mcp-servers.ts';
import { readFirst, thenRerun, type WayOut } from './situation.ts';

const SETTINGS = {
  gemini: () => '`mcpServers` in ~/.gemini/settings.json or .gemini/settings.json of the project',
  copilot: () => '`mcpServers` in ~/.copilot/mcp-config.json or .mcp.json of the project',
  codex: (name) => `\`[mcp_servers.${name}]\` in ~/.codex/config.toml`,
  claude: () => '`mcpServers` in ~/.claude.json or .mcp.json of the project',
} as const satisfies Record<BuiltIn, (name: string) => string>;

const SIGN_IN = {
  gemini: (name) => `start \`gemini\` and type /mcp auth ${name}`,
  copilot: (name) => `start \`copilot\` and type /mcp show ${name}`,
  codex: (name) => `start \`codex mcp login ${name}\``,
  claude: (name) => `start \`claude\` and type /mcp to sign in to ${name}`,
} as const satisfies Record<BuiltIn, (name: string) => string>;

const mended: WayOut = (situation) => {
  const { tool, verdict } = situation;
  const names = serversIn(verdict.evidence?.text ?? '');
  const [name] = names;
  if (verdict.class === 'auth') {
    const how =
      name === undefined
        ? `sign in to the MCP server that the evidence names, in ${tool}`
        : rowOf(SIGN_IN, tool, () => `sign in to the server ${name} in ${tool}`)(name);
    return [toDo(`${how} (the server asks for it, not the model)`), thenRerun(situation)];
  }
  const which =
    names.length === 0 ? 'the MCP server' : `the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`;
  const where = rowOf(SETTINGS, tool, () => `in the settings of ${tool}`)(name ?? '…');
  return [...readFirst(situation), toDo(`mend or take out ${which}: ${where}`), thenRerun(situation)];
};

export const SERVER_ACTIONS = { mcp_server: mended } as const satisfies Record<string, WayOut>;
