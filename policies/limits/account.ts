// Identifies the account that a CLI uses, without its secrets.

import { createHash } from 'node:crypto';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';

/** In the order in which each CLI uses them. */
const KEYS: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  copilot: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  codex: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  claude: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

/** The variables for the service, and for the folder of the sign-in. */
const PLACES: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'GOOGLE_CLOUD_PROJECT', 'GEMINI_CLI_HOME'],
  copilot: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_HOME'],
  codex: ['OPENAI_BASE_URL', 'CODEX_HOME'],
  claude: ['ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR'],
};

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Identifies the account that a CLI uses: the key in the environment or else the sign-in, and any other service or home. A short
 * hash distinguishes two keys and reveals neither.
 */
export function accountOf(tool: Tool, environment: Variables): string {
  const key = rowOf(KEYS, tool, []).find((variable) => environment[variable]);
  const places = rowOf(PLACES, tool, []).filter((variable) => environment[variable]);
  const by = key === undefined ? 'signed in' : hashed([key], environment);
  return places.length === 0 ? by : `${by}, ${hashed(places, environment)}`;
}

const hashed = (names: readonly string[], environment: Variables): string => {
  const values = names.map((name) => environment[name]).join('\0');
  return `${names.join('+')} ${createHash('sha256').update(`tollgate ${values}`).digest('hex').slice(0, 6)}`;
};
