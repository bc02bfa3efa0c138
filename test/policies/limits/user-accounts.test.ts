// The environment of an account has its login alone: no key, choice or provider of another login leads its CLI elsewhere.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Account, accountName, inAccount } from '../../../policies/limits/user-accounts.ts';

const account = (tool: Account['tool'], key: string | null): Account => ({ name: 'mine', tool, home: '/mine', key });

for (const [tool, home, others] of [
  ['gemini', 'GEMINI_CLI_HOME', ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_CLOUD_ACCESS_TOKEN']],
  ['copilot', 'COPILOT_HOME', ['GH_TOKEN', 'COPILOT_PROVIDER_BEARER_TOKEN', 'COPILOT_PROVIDER_BASE_URL']],
  ['codex', 'CODEX_HOME', ['OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN']],
  ['claude', 'CLAUDE_CONFIG_DIR', ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'OTHER_KEY']],
] as const)
  test(`a login of ${tool} is the only one in its environment`, () => {
    const environment = { PATH: '/bin', ...Object.fromEntries(others.map((name) => [name, 'x'])) };
    const all = [account(tool, null), { ...account('codex', 'OTHER_KEY'), name: 'other' }];
    assert.equal(inAccount(all[0]!, all, environment), {
      ...{ PATH: '/bin', [home]: '/mine' },
      TOLLGATE_ACCOUNT: `${tool}/mine`,
    });
  });

for (const [key, variable, service] of [
  ['github_pat_0000000000', 'COPILOT_GITHUB_TOKEN', undefined],
  ['sk-provider-0000000000', 'COPILOT_PROVIDER_API_KEY', 'https://provider.example'],
] as const)
  test(`a key for ${variable} goes to its own service`, () => {
    const own = account('copilot', 'MY_KEY');
    const variables = inAccount(own, [own], { MY_KEY: key, COPILOT_PROVIDER_BASE_URL: 'https://provider.example' });
    assert.equal([variables[variable], variables.COPILOT_PROVIDER_BASE_URL], [key, service]);
  });

test('the account of a call is that of its own CLI', () => {
  const inherited = { TOLLGATE_ACCOUNT: 'codex/mine' };
  assert.equal([accountName('codex', inherited), accountName('claude', inherited)], ['mine', null]);
});

test.run();
