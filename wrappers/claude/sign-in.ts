// Finds how claude is signed in: a key or token of the environment or its settings, a cloud's credentials, or a stored login.

import path from 'node:path';
import { partOf, textOf } from '../../policies/text/json.ts';
import type { SignIn, Surroundings } from '../sign-in.ts';
import { claudeHome, memoryMistake, readMemory } from './home.ts';
import { readObject, readSettings, variable } from './settings.ts';

export function readClaudeSignIn({ environment: given, home: userHome, cwd }: Surroundings): SignIn {
  const environment = { ...given, HOME: userHome };
  const settings = readSettings({ environment, cwd });
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

/** In claude's order of precedence: a cloud before everything, a key before a login. */
const VARIABLES = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
] as const;
