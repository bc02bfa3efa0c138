// Finds how claude is signed in: a key or token of the environment or its settings, a cloud's credentials, or a stored login.

import path from 'node:path';
import { partOf, textOf } from '../../policies/text/json.ts';
import { badAddress, misconfigured, type SignIn, type Surroundings } from '../sign-in.ts';
import { claudeHome, memoryMistake, readMemory } from './home.ts';
import { cloudOf } from './route.ts';
import { readObject, readSettings, type SettingsFile, variable } from './settings.ts';

export function readClaudeSignIn({ environment: given, home: userHome, cwd }: Surroundings): SignIn {
  const environment = { ...given, HOME: userHome };
  const settings = readSettings({ environment, cwd });
  const mistake = addressMistake(settings, environment);
  if (mistake !== null) return mistake;
  for (const name of VARIABLES) {
    const found = variable(name, settings, environment);
    if (found !== null) return { how: 'signed_in', by: found.by };
  }
  const helper = settings.find(({ settings: said }) => textOf(said?.apiKeyHelper));
  if (helper !== undefined) return { how: 'signed_in', by: `apiKeyHelper in ${helper.file}` };
  const home = claudeHome(environment);
  if (home !== null) {
    const stored = path.join(home.folder, '.credentials.json');
    if (textOf(partOf(readObject(stored)?.claudeAiOauth)?.accessToken)) return { how: 'signed_in', by: stored };
    if (/"primaryApiKey"\s*:\s*"[^"]/.test(readMemory(home) ?? '')) return { how: 'signed_in', by: home.memory };
    const unread = memoryMistake(home);
    if (unread !== null) return { how: 'unclear', because: unread, fix: 'see `claude auth status`' };
  }
  const because = 'no key is set and no login is stored';
  const fix = 'start `claude` and type /login, or export ANTHROPIC_API_KEY=…';
  // On macOS the logins are in the keychain, which is not opened here.
  if (process.platform === 'darwin')
    return { how: 'unclear', because: `${because} in a file`, fix: 'see `claude auth status`' };
  return { how: 'signed_out', because, fix: fix };
}

function addressMistake(settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): SignIn | null {
  const cloud = cloudOf(settings, environment);
  const name = cloud === null ? 'ANTHROPIC_BASE_URL' : cloud.replace(/^CLAUDE_CODE_USE_(.*)/, 'ANTHROPIC_$1_BASE_URL');
  const address = variable(name, settings, environment);
  if (address !== null) return badAddress(address.by, address.value);
  if (cloud !== FOUNDRY || variable(RESOURCE, settings, environment) !== null) return null;
  return misconfigured(`${FOUNDRY} is set, but neither ${RESOURCE} nor ${name} is`, `set ${RESOURCE}, or ${name}`);
}

const FOUNDRY = 'CLAUDE_CODE_USE_FOUNDRY';

/** The address of the service consists of its name. */
const RESOURCE = 'ANTHROPIC_FOUNDRY_RESOURCE';

/** In claude's order of precedence: a cloud before everything, a key before a login. */
const VARIABLES = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  FOUNDRY,
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
] as const;
