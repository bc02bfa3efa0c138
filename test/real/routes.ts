// How each real CLI is told to talk to the model API on the loopback instead of its own service: one row a way.

import type { BuiltIn } from '../../policies/facts/tools.ts';

export interface Route {
  tool: BuiltIn;
  /** Its environment, given the API's base URL. */
  env: (url: string) => Record<string, string>;
  /** Files of its home folder. */
  files: (url: string) => Record<string, string>;
}

/** Long enough for copilot, which blanks out the value of its key wherever it stands in an answer. */
const KEY = 'sk-test-000000000000';

const GEMINI_SETTINGS = {
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

const CODEX_QUIET = `check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;

const COPILOT_OFFLINE = {
  COPILOT_OFFLINE: 'true',
  COPILOT_AUTO_UPDATE: 'false',
  COPILOT_PROVIDER_API_KEY: KEY,
  COPILOT_MODEL: 'test-model',
};

export const ROUTES = {
  gemini: {
    tool: 'gemini',
    env: (url) => ({ GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: KEY, GOOGLE_VERTEX_BASE_URL: url }),
    files: () => ({ '.gemini/settings.json': JSON.stringify(GEMINI_SETTINGS) }),
  },
  'gemini by key': {
    tool: 'gemini',
    env: (url) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        ...GEMINI_SETTINGS,
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    }),
  },
  codex: {
    tool: 'codex',
    env: () => ({ TEST_API_KEY: KEY }),
    files: (url) => ({
      '.codex/config.toml': `model = "gpt-5.1-codex"
model_provider = "test"
${CODEX_QUIET}[model_providers.test]
name = "test"
base_url = "${url}/v1"
env_key = "TEST_API_KEY"
wire_api = "responses"
`,
    }),
  },
  'codex by key': {
    tool: 'codex',
    env: () => ({ CODEX_API_KEY: KEY }),
    files: (url) => ({
      '.codex/config.toml': `model = "gpt-5.1-codex"\nopenai_base_url = "${url}/v1"\n${CODEX_QUIET}`,
    }),
  },
  copilot: {
    tool: 'copilot',
    env: (url) => ({ ...COPILOT_OFFLINE, COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    files: () => ({}),
  },
  'copilot by responses': {
    tool: 'copilot',
    env: (url) => ({
      ...COPILOT_OFFLINE,
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_WIRE_API: 'responses',
    }),
    files: () => ({}),
  },
  'copilot by messages': {
    tool: 'copilot',
    env: (url) => ({ ...COPILOT_OFFLINE, COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_TYPE: 'anthropic' }),
    files: () => ({}),
  },
  'claude by login': {
    tool: 'claude',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, CLAUDE_CODE_OAUTH_TOKEN: KEY }),
    files: () => ({}),
  },
  claude: {
    tool: 'claude',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
    files: () => ({}),
  },
} as const satisfies Record<string, Route> & Record<BuiltIn, Route>;

export type RouteName = keyof typeof ROUTES;

/** What a CLI needs to be called without credentials: the route's files and environment, less its keys. */
export function withoutKey(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== KEY));
}
