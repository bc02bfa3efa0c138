// Finds how copilot is signed in: the user's provider, a GitHub token of the environment, or a stored login.

import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { homeOf } from '../home.ts';
import { badAddress, misconfigured, readText, type SignIn, type Surroundings } from '../sign-in.ts';

/** null if there is no home. */
export function copilotFolder(environment: NodeJS.ProcessEnv): string | null {
  const home = homeOf(environment);
  return environment.COPILOT_HOME || (home === null ? null : path.join(home, '.copilot'));
}

export function readCopilotSignIn({ environment, home, cwd }: Surroundings): SignIn {
  const { COPILOT_HOME: own } = environment;
  if (own && !isWritable(path.resolve(cwd, own)))
    return misconfigured(
      `COPILOT_HOME points to ${own}, where no folder can be written`,
      'name another folder in COPILOT_HOME, or unset it',
    );
  if (environment.COPILOT_PROVIDER_BASE_URL) return readProvider(environment);
  if (environment.COPILOT_OFFLINE === 'true')
    return {
      how: 'signed_out',
      because: 'COPILOT_OFFLINE is set, but no provider is',
      fix: 'export COPILOT_PROVIDER_BASE_URL=… and COPILOT_MODEL=…, or unset COPILOT_OFFLINE',
    };
  const variable = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'].find((name) => environment[name]);
  if (variable !== undefined) return readToken(variable, environment[variable]!);
  const stored = path.join(copilotFolder({ ...environment, HOME: home }) ?? home, 'config.json');
  // The tokens themselves are mostly in the system's keyring; this file names the accounts.
  if (
    /"(loggedInUsers|logged_in_users)"\s*:\s*\[\s*\{|"(copilotTokens|copilot_tokens)"\s*:\s*\{\s*"/.test(
      readText(stored) ?? '',
    )
  )
    return { how: 'signed_in', by: stored };
  const gh = path.join(
    environment.GH_CONFIG_DIR || path.join(environment.XDG_CONFIG_HOME || path.join(home, '.config'), 'gh'),
    'hosts.yml',
  );
  if (/^\S+:/m.test(readText(gh) ?? '')) return { how: 'signed_in', by: `${gh} (GitHub CLI)` };
  return {
    how: 'signed_out',
    because: 'no token is set and no login is stored',
    fix: 'run `copilot login`, or export COPILOT_GITHUB_TOKEN=…',
  };
}

/** copilot makes a missing folder. If it cannot, it ends with code 1 and without a word. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder) && folder !== path.dirname(folder)) return isWritable(path.dirname(folder));
  try {
    accessSync(path.join(folder, '/'), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readProvider(environment: NodeJS.ProcessEnv): SignIn {
  const mistake = badAddress('COPILOT_PROVIDER_BASE_URL', environment.COPILOT_PROVIDER_BASE_URL);
  if (mistake !== null) return mistake;
  if (environment.COPILOT_MODEL) return { how: 'signed_in', by: 'COPILOT_PROVIDER_BASE_URL' };
  return {
    how: 'unclear',
    because: 'COPILOT_PROVIDER_BASE_URL is set without COPILOT_MODEL, so every call must name its model',
    fix: 'export COPILOT_MODEL=…, or give --model',
  };
}

function readToken(variable: string, token: string): SignIn {
  if (!token.startsWith('ghp_')) return { how: 'signed_in', by: variable };
  return {
    how: 'signed_out',
    because: `${variable} holds a classic personal access token, which copilot refuses`,
    fix: 'make a fine-grained token with the permission "Copilot Requests"',
  };
}
