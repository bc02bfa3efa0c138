// Which account a CLI is asked by: the key that the environment names, or else whoever is signed in.

import { createHash } from 'node:crypto';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';

/** In the order in which each CLI goes by them. */
const KEYS: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  copilot: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  codex: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  claude: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

/** A short hash tells two keys apart and gives none away. */
export function accountOf(tool: Tool, environment: Readonly<Record<string, string | undefined>>): string {
  const name = rowOf(KEYS, tool, []).find((variable) => environment[variable]);
  if (name === undefined) return 'signed in';
  return `${name} ${createHash('sha256').update(`tollgate ${environment[name]}`).digest('hex').slice(0, 6)}`;
}
