// Identifies the account that a CLI uses, without its secrets.

import { createHash } from 'node:crypto';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { accountName, HOMES, KEYS } from './user-accounts.ts';

/** The variables for the service. */
const SERVICES: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'GOOGLE_CLOUD_PROJECT'],
  copilot: ['COPILOT_PROVIDER_BASE_URL'],
  codex: ['OPENAI_BASE_URL'],
  claude: ['ANTHROPIC_BASE_URL'],
};

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Identifies the account that a CLI uses: by its name, or by the key in the environment or else the sign-in, and any other service
 * or home. A short hash distinguishes two keys and reveals neither.
 */
export function accountOf(tool: Tool, environment: Variables): string {
  const name = accountName(tool, environment);
  if (name !== null) return `account ${name}`;
  const key = rowOf(KEYS, tool, []).find((variable) => environment[variable]);
  const places = [...rowOf(SERVICES, tool, []), rowOf(HOMES, tool, '')].filter((variable) => environment[variable]);
  const by = key === undefined ? 'signed in' : hashed([key], environment);
  return places.length === 0 ? by : `${by}, ${hashed(places, environment)}`;
}

const hashed = (names: readonly string[], environment: Variables): string => {
  const values = names.map((name) => environment[name]).join('\0');
  return `${names.join('+')} ${createHash('sha256').update(`tollgate ${values}`).digest('hex').slice(0, 6)}`;
};
