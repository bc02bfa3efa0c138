// How each CLI is signed in, by what lies in the user's home and environment; no secret is ever repeated.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { SignIn } from '../../wrappers/sign-in.ts';

const test = suite('sign-in');
const SECRET = 'sk-do-not-tell';

interface Row {
  tool: BuiltIn;
  env?: Record<string, string>;
  /** By their path in the home folder. */
  files?: Record<string, string>;
  how: SignIn['how'];
  /** What it is signed in by, or why not. */
  says: string;
}

const settings = (selectedType: string) =>
  `// mine\n{"security": {"auth": {"selectedType": "${selectedType}"}}} /* end */`;

const NO_ADDRESS = 'is no address that begins with http:// or https://';

/** No login helps against these. */
const MISTAKES: readonly Row[] = [
  {
    tool: 'gemini',
    env: { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: SECRET, GOOGLE_VERTEX_BASE_URL: '127.0.0.1:9' },
    how: 'signed_out',
    says: `GOOGLE_VERTEX_BASE_URL ${NO_ADDRESS}`,
  },
  {
    tool: 'gemini',
    env: { GEMINI_API_KEY: SECRET },
    files: { '.gemini/settings.json': '{"security": {"auth": {"enforcedType": "oauth-personal"}}}' },
    how: 'signed_out',
    says: '~/.gemini/settings.json enforces "oauth-personal", but the sign-in is another: the environment selects "gemini-api-key"',
  },
  {
    tool: 'copilot',
    env: { COPILOT_PROVIDER_BASE_URL: `ftp://u:${SECRET}@127.0.0.1`, COPILOT_MODEL: 'm' },
    how: 'signed_out',
    says: `COPILOT_PROVIDER_BASE_URL ${NO_ADDRESS}`,
  },
  {
    tool: 'copilot',
    env: { COPILOT_HOME: 'x/below', GH_TOKEN: SECRET },
    how: 'signed_out',
    says: 'COPILOT_HOME points to x/below, where no folder can be written',
  },
  {
    tool: 'codex',
    env: { CODEX_HOME: '/nowhere/codex', CODEX_API_KEY: SECRET },
    how: 'signed_out',
    says: 'CODEX_HOME points to /nowhere/codex, which is no folder',
  },
  {
    tool: 'codex',
    env: { CODEX_HOME: 'x', CODEX_API_KEY: SECRET },
    how: 'signed_out',
    says: 'CODEX_HOME points to x, which is no folder',
  },
  {
    tool: 'codex',
    files: {
      '.codex/config.toml': 'model_provider = "own"\n[model_providers.own]\nbase_url = ""\n',
    },
    how: 'signed_out',
    says: `base_url of provider "own" in config.toml ${NO_ADDRESS}`,
  },
  {
    tool: 'claude',
    files: {
      '.claude/settings.json': '{"env": {"ANTHROPIC_BASE_URL": "gateway.example"}}',
      '.claude/.credentials.json': `{"claudeAiOauth": {"accessToken": "${SECRET}"}}`,
    },
    how: 'signed_out',
    says: `ANTHROPIC_BASE_URL in ~/.claude/settings.json ${NO_ADDRESS}`,
  },
  {
    tool: 'claude',
    env: { CLAUDE_CODE_USE_FOUNDRY: '1' },
    how: 'signed_out',
    says: 'CLAUDE_CODE_USE_FOUNDRY is set, but neither ANTHROPIC_FOUNDRY_RESOURCE nor ANTHROPIC_FOUNDRY_BASE_URL is',
  },
];

const ROWS: readonly Row[] = [
  ...MISTAKES,
  { tool: 'copilot', env: { COPILOT_HOME: 'new/below', GH_TOKEN: SECRET }, how: 'signed_in', says: 'GH_TOKEN' },
  {
    tool: 'codex',
    env: { TOLLGATE_ACCOUNT: 'codex/second', CODEX_HOME: '/nowhere/codex', CODEX_API_KEY: SECRET },
    how: 'signed_in',
    says: 'CODEX_API_KEY',
  },
  {
    tool: 'codex',
    env: { CODEX_HOME: '.', CODEX_API_KEY: SECRET },
    how: 'signed_in',
    says: 'CODEX_API_KEY',
  },
  {
    tool: 'claude',
    env: { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'r' },
    how: 'signed_in',
    says: 'CLAUDE_CODE_USE_FOUNDRY',
  },
  { tool: 'gemini', how: 'signed_out', says: 'no sign-in is configured' },
  { tool: 'gemini', env: { GEMINI_API_KEY: SECRET }, how: 'signed_in', says: 'GEMINI_API_KEY' },
  {
    tool: 'gemini',
    env: { GEMINI_API_KEY: SECRET, GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' },
    how: 'signed_out',
    says: 'the environment selects "gateway", a sign-in that gemini takes only in a terminal',
  },
  {
    tool: 'gemini',
    env: { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: SECRET },
    how: 'signed_in',
    says: 'GOOGLE_API_KEY (Vertex AI)',
  },
  {
    tool: 'gemini',
    env: { GOOGLE_GENAI_USE_VERTEXAI: 'true' },
    how: 'signed_out',
    says: 'the environment selects "vertex-ai", but neither GOOGLE_API_KEY nor GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION is set',
  },
  {
    tool: 'gemini',
    env: { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'eu' },
    files: { '.config/gcloud/application_default_credentials.json': '{}' },
    how: 'signed_in',
    says: '~/.config/gcloud/application_default_credentials.json',
  },
  {
    tool: 'gemini',
    files: { '.gemini/settings.json': settings('oauth-personal'), '.gemini/oauth_creds.json': '{}' },
    how: 'unclear',
    says: '~/.gemini/oauth_creds.json is a sign-in with a Google account, which Google shut for this client but for enterprise licences',
  },
  {
    tool: 'gemini',
    env: { GOOGLE_CLOUD_PROJECT: 'p' },
    files: { '.gemini/settings.json': settings('oauth-personal'), '.gemini/oauth_creds.json': '{}' },
    how: 'signed_in',
    says: '~/.gemini/oauth_creds.json',
  },
  { tool: 'claude', how: 'signed_out', says: 'no key is set and no login is stored' },
  { tool: 'claude', env: { ANTHROPIC_API_KEY: SECRET }, how: 'signed_in', says: 'ANTHROPIC_API_KEY' },
  { tool: 'claude', env: { ANTHROPIC_API_KEY: '' }, how: 'signed_out', says: 'no key is set and no login is stored' },
  {
    tool: 'claude',
    env: { CLAUDE_CODE_OAUTH_TOKEN: SECRET, CLAUDE_CODE_USE_BEDROCK: '1' },
    how: 'signed_in',
    says: 'CLAUDE_CODE_USE_BEDROCK',
  },
  {
    tool: 'claude',
    files: { '.claude/.credentials.json': JSON.stringify({ claudeAiOauth: { accessToken: SECRET } }) },
    how: 'signed_in',
    says: '~/.claude/.credentials.json',
  },
  {
    tool: 'claude',
    files: { '.claude/.credentials.json': 'no JSON' },
    how: 'signed_out',
    says: 'no key is set and no login is stored',
  },
  {
    tool: 'claude',
    files: { '.claude/settings.json': JSON.stringify({ apiKeyHelper: 'vault read' }) },
    how: 'signed_in',
    says: 'apiKeyHelper in ~/.claude/settings.json',
  },
  {
    tool: 'claude',
    files: { 'project/.claude/settings.local.json': JSON.stringify({ env: { ANTHROPIC_API_KEY: SECRET } }) },
    how: 'signed_in',
    says: 'ANTHROPIC_API_KEY in ~/project/.claude/settings.local.json',
  },
  {
    tool: 'gemini',
    env: { GEMINI_API_KEY: SECRET },
    files: { '.gemini/settings.json': settings('oauth-personal') },
    how: 'unclear',
    says: '"oauth-personal" in ~/.gemini/settings.json, but there is no ~/.gemini/oauth_creds.json',
  },
  {
    tool: 'gemini',
    files: { '.gemini/settings.json': settings('gemini-api-key') },
    how: 'unclear',
    says: '"gemini-api-key" in ~/.gemini/settings.json, but GEMINI_API_KEY is not set',
  },
  { tool: 'gemini', files: { '.env': `GEMINI_API_KEY="${SECRET}"\n` }, how: 'signed_in', says: 'GEMINI_API_KEY' },
  {
    tool: 'gemini',
    files: { '.env': `GEMINI_API_KEY=${SECRET}\n`, 'project/.env': 'OTHER=1\n' },
    how: 'signed_out',
    says: 'no sign-in is configured',
  },
  {
    tool: 'gemini',
    env: { GEMINI_API_KEY: SECRET },
    files: { '.gemini/settings.json': '{"security": ' },
    how: 'signed_out',
    says: '~/.gemini/settings.json cannot be read as JSON',
  },
  {
    tool: 'gemini',
    env: { GEMINI_API_KEY: SECRET },
    files: { '.gemini/settings.json': '' },
    how: 'signed_out',
    says: '~/.gemini/settings.json cannot be read as JSON',
  },
  { tool: 'codex', how: 'signed_out', says: 'no key is set and no login is stored in ~/.codex' },
  { tool: 'codex', env: { CODEX_API_KEY: SECRET }, how: 'signed_in', says: 'CODEX_API_KEY' },
  {
    tool: 'codex',
    env: { OPENAI_API_KEY: SECRET },
    how: 'signed_out',
    says: 'OPENAI_API_KEY is set, but `codex exec` reads CODEX_API_KEY alone',
  },
  {
    tool: 'codex',
    files: { '.codex/auth.json': `{"OPENAI_API_KEY": null, "tokens": {"access_token": "${SECRET}"}}` },
    how: 'signed_in',
    says: '~/.codex/auth.json',
  },
  {
    tool: 'codex',
    files: { '.codex/auth.json': '{"OPENAI_API_KEY": null}' },
    how: 'signed_out',
    says: 'no key is set and no login is stored in ~/.codex',
  },
  {
    tool: 'codex',
    files: { '.codex/config.toml': 'cli_auth_credentials_store = "keyring"\n' },
    how: 'unclear',
    says: "its login is in the system's keyring, which is not opened here",
  },
  {
    tool: 'codex',
    files: { '.codex/config.toml': 'model_provider = "lan"\n[model_providers.lan]\nbase_url = "http://lan/v1"\n' },
    how: 'signed_in',
    says: 'provider "lan", which names no key',
  },
  {
    tool: 'codex',
    env: { OTHER_KEY: SECRET },
    files: {
      '.codex/config.toml':
        'model_provider = "lan"\n[model_providers.other]\nenv_key = "OTHER_KEY"\n[model_providers.lan]\nenv_key = "LAN_KEY"\n',
    },
    how: 'signed_out',
    says: 'its provider "lan" wants LAN_KEY, which is not set',
  },
  {
    tool: 'codex',
    env: { LAN_KEY: SECRET },
    files: { '.codex/config.toml': `model_provider = 'lan'\n[model_providers."lan"]\nenv_key = 'LAN_KEY'\n` },
    how: 'signed_in',
    says: 'LAN_KEY (provider "lan")',
  },
  { tool: 'copilot', how: 'signed_out', says: 'no token is set and no login is stored' },
  { tool: 'copilot', env: { GH_TOKEN: SECRET }, how: 'signed_in', says: 'GH_TOKEN' },
  {
    tool: 'copilot',
    env: { GITHUB_TOKEN: `ghp_${SECRET}` },
    how: 'signed_out',
    says: 'GITHUB_TOKEN holds a classic personal access token, which copilot refuses',
  },
  {
    tool: 'copilot',
    env: { COPILOT_PROVIDER_BASE_URL: 'http://lan/v1', COPILOT_MODEL: 'm' },
    how: 'signed_in',
    says: 'COPILOT_PROVIDER_BASE_URL',
  },
  {
    tool: 'copilot',
    env: { COPILOT_PROVIDER_BASE_URL: 'http://lan/v1' },
    how: 'unclear',
    says: 'COPILOT_PROVIDER_BASE_URL is set without COPILOT_MODEL, so every call must name its model',
  },
  {
    tool: 'copilot',
    env: { COPILOT_OFFLINE: 'true', GH_TOKEN: SECRET },
    how: 'signed_out',
    says: 'COPILOT_OFFLINE is set, but no provider is',
  },
  {
    tool: 'copilot',
    files: { '.copilot/config.json': '// managed\n{"loggedInUsers": [{"host": "https://github.com", "login": "me"}]}' },
    how: 'signed_in',
    says: '~/.copilot/config.json',
  },
  {
    tool: 'copilot',
    files: { '.copilot/config.json': '{"loggedInUsers": []}' },
    how: 'signed_out',
    says: 'no token is set and no login is stored',
  },
  {
    tool: 'copilot',
    files: { '.config/gh/hosts.yml': 'github.com:\n    user: me\n' },
    how: 'signed_in',
    says: '~/.config/gh/hosts.yml (GitHub CLI)',
  },
];

for (const row of ROWS) {
  const { tool, env = {}, files = {}, how, says } = row;
  const given = [...Object.keys(env), ...Object.keys(files)].join(', ') || 'nothing';
  test(`${tool} with ${given}: ${how}, ${says}`, () => {
    const home = mkdtempSync(path.join(tmpdir(), 'home-'));
    try {
      for (const [name, text] of Object.entries({ 'project/x': '', ...files })) {
        mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
        writeFileSync(path.join(home, name), text);
      }
      const environment = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/nowhere', ...env };
      const found = ADAPTERS[tool].signIn({ environment, home, cwd: path.join(home, 'project') });
      const told = found.how === 'signed_in' ? found.by : found.because;
      assert.equal([found.how, told.replaceAll(home, '~')], [how, says]);
      assert.not.match(JSON.stringify(found), SECRET);
      assert.is(
        found.how === 'signed_out' && found.config === true,
        MISTAKES.includes(row) || says.endsWith(' as JSON'),
      );
    } finally {
      rmSync(home, { recursive: true });
    }
  });
}

test.run();
