// Makes the environment of an account that the user has set up: its login alone.

import type { BuiltIn, Tool } from '../facts/tools.ts';

/** In the order in which each CLI uses them. */
export const KEYS: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  copilot: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  codex: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  claude: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

/** Other variables that take precedence over a stored login. */
const CHOICES: Readonly<Record<BuiltIn, readonly string[]>> = {
  gemini: ['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_CLOUD_ACCESS_TOKEN'],
  copilot: ['COPILOT_PROVIDER_BEARER_TOKEN'],
  codex: ['CODEX_ACCESS_TOKEN'],
  claude: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
};

/** A provider that the user chose instead of the CLI's own service: its key and its address. */
const PROVIDERS = [['COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BASE_URL']] as const;

/** The folder of the sign-in, the settings and the sessions. */
export const HOMES = {
  gemini: 'GEMINI_CLI_HOME',
  copilot: 'COPILOT_HOME',
  codex: 'CODEX_HOME',
  claude: 'CLAUDE_CONFIG_DIR',
} as const satisfies Record<BuiltIn, string>;

type Variables = Readonly<Record<string, string | undefined>>;

export interface Account {
  name: string;
  tool: BuiltIn;
  /** The folder for its login, its settings and its sessions. No other account uses it. */
  home: string;
  /** The variable that holds its key; null for a login that is stored in the folder. */
  key: string | null;
}

/** `<tool>/<name>`: the account of a call, which the processes of the call inherit together with its login. */
const ACCOUNT = 'TOLLGATE_ACCOUNT';

/** Makes the environment of a call with the account: its login alone, and no key of another account. */
export function inAccount(account: Account, all: readonly Account[], environment: Variables): NodeJS.ProcessEnv {
  const { name, tool, home, key } = account;
  const value = key === null ? undefined : environment[key];
  const variable = value === undefined ? null : keyVariable(tool, value);
  const others = all.flatMap((other) => (other.key === null || other.key === key ? [] : [other.key]));
  const removed = new Set([...KEYS[tool], ...CHOICES[tool], ...others]);
  // A login is for the CLI's own service, never for a provider of the user's.
  for (const [its, service] of PROVIDERS) if (KEYS[tool].includes(its) && variable !== its) removed.add(service);
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([each]) => !removed.has(each))),
    [HOMES[tool]]: home,
    ...(variable === null ? {} : { [variable]: value }),
    [ACCOUNT]: `${tool}/${name}`,
  };
}

/** How the user signs in to an account, as commands. */
export function signInWay({ tool, home, key }: Account): string {
  if (key !== null) return `export ${key}=…`;
  return `${HOMES[tool]}=${home} ${LOGINS[tool]}`;
}

const LOGINS = {
  gemini: 'gemini',
  copilot: 'copilot login',
  codex: 'codex login',
  claude: 'claude',
} as const satisfies Record<BuiltIn, string>;

/** Where the CLI expects a key of this kind. */
function keyVariable(tool: BuiltIn, key: string): string {
  return KEY_KINDS.find(([of, kind]) => of === tool && kind.test(key))?.[2] ?? KEYS[tool][0]!;
}

const KEY_KINDS = [
  ['copilot', /^(?:gh[a-z]_|github_pat_)/, 'COPILOT_GITHUB_TOKEN'],
  ['claude', /^sk-ant-oat/, 'CLAUDE_CODE_OAUTH_TOKEN'],
] as const satisfies readonly (readonly [BuiltIn, RegExp, string])[];

/** The name of the user's account in which a CLI runs; null for the login of the environment. */
export function accountName(tool: Tool, { TOLLGATE_ACCOUNT: given = '' }: Variables): string | null {
  const name = given.startsWith(`${tool}/`) ? given.slice(tool.length + 1) : '';
  return ACCOUNT_NAME.test(name) ? name : null;
}

/** The same as a field, which is absent for the login of the environment. */
export function accountIn(tool: Tool, environment: Variables): { account?: string } {
  const account = accountName(tool, environment);
  return account === null ? {} : { account };
}

/** It is a name of a folder too. */
export const ACCOUNT_NAME = /^[a-z][a-z0-9_-]{0,40}$/;

/** What leads a CLI to the files of its account; no secret. */
export const accountPlaces = (tool: Tool, environment: Variables): Record<string, string> =>
  accountName(tool, environment) === null
    ? {}
    : { [ACCOUNT]: environment[ACCOUNT]!, [HOMES[tool as BuiltIn]]: environment[HOMES[tool as BuiltIn]]! };
