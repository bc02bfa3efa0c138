// Finds how codex is signed in: the user's provider with its key, a key in the environment, or a stored login.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { accountName } from '../../policies/limits/user-accounts.ts';
import { shellWord } from '../../policies/text/display.ts';
import { badAddress, misconfigured, readText, type SignIn, type Surroundings } from '../sign-in.ts';
import { readTopLevel } from './overlay.ts';

export function readCodexSignIn({ environment, home, cwd }: Surroundings): SignIn {
  const folder = environment.CODEX_HOME || path.join(home, '.codex');
  // The first call of an account makes its folder.
  if (
    environment.CODEX_HOME &&
    accountName('codex', environment) === null &&
    !existsSync(path.join(path.resolve(cwd, folder), '/'))
  )
    return misconfigured(
      `CODEX_HOME points to ${folder}, which is no folder`,
      `run \`mkdir -p ${shellWord(folder)}\`, or unset CODEX_HOME`,
    );
  const config = readText(path.join(folder, 'config.toml')) ?? '';
  const settings = readTopLevel(config);
  const provider = settings.model_provider ?? 'openai';
  if (provider !== 'openai') return readProvider(provider, config, environment);
  const variable = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'].find((name) => environment[name]);
  if (variable !== undefined) return { how: 'signed_in', by: variable };
  const stored = path.join(folder, 'auth.json');
  if (/"(OPENAI_API_KEY|access_token|refresh_token|id_token)"\s*:\s*"[^"]/.test(readText(stored) ?? ''))
    return { how: 'signed_in', by: stored };
  if (settings.cli_auth_credentials_store === 'keyring' || settings.cli_auth_credentials_store === 'auto')
    return {
      how: 'unclear',
      because: "its login is in the system's keyring, which is not opened here",
      fix: 'see `codex login status`',
    };
  if (environment.OPENAI_API_KEY)
    return {
      how: 'signed_out',
      because: 'OPENAI_API_KEY is set, but `codex exec` reads CODEX_API_KEY alone',
      fix: 'export CODEX_API_KEY="$OPENAI_API_KEY"',
    };
  return {
    how: 'signed_out',
    because: `no key is set and no login is stored in ${folder}`,
    fix: 'run `codex login`, or export CODEX_API_KEY=…',
  };
}

/** A provider that names no key runs on this machine or has its own credentials. */
function readProvider(provider: string, config: string, environment: NodeJS.ProcessEnv): SignIn {
  const headers = ['', '"', "'"].map((quote) => `[model_providers.${quote}${provider}${quote}]`);
  const table = config
    .split(/^(?=[ \t]*\[)/m)
    .find((text) => headers.some((header) => text.trimStart().startsWith(header)));
  const address = /^[ \t]*base_url[ \t]*=[ \t]*["']([^"'\n]*)/m.exec(table ?? '')?.[1];
  const mistake = badAddress(`base_url of provider "${provider}" in config.toml`, address);
  if (mistake !== null) return mistake;
  const variable = /^[ \t]*env_key[ \t]*=[ \t]*["']([^"'\n]+)/m.exec(table ?? '')?.[1];
  if (variable === undefined) return { how: 'signed_in', by: `provider "${provider}", which names no key` };
  if (environment[variable]) return { how: 'signed_in', by: `${variable} (provider "${provider}")` };
  return {
    how: 'signed_out',
    because: `its provider "${provider}" wants ${variable}, which is not set`,
    fix: `export ${variable}=…`,
  };
}
