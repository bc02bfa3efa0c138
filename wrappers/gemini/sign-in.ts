// Finds how gemini is signed in: by the type in its settings, otherwise by the type that the environment implies.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { badAddress, misconfigured, readDotEnvFile, type SignIn, type Surroundings } from '../sign-in.ts';
import { readSettings, settingsFiles, userFolder } from './settings.ts';

export function readGeminiSignIn(surroundings: Surroundings): SignIn {
  const { environment, home } = surroundings;
  const folder = userFolder(environment, home);
  const { type, file, known } = chosenType(surroundings);
  if (type === 'unreadable') return unreadable(file!);
  const chosen = file === null ? `the environment selects "${type}"` : `"${type}" in ${file}`;
  if (type !== null)
    return (
      addressMistake(type, environment) ??
      otherThanEnforced(type, chosen, file, surroundings) ??
      judge(type, known, folder, home, chosen)
    );
  return {
    how: 'signed_out',
    because: 'no sign-in is configured',
    fix: `run \`gemini\` once to sign in, or ${SET_KEY}`,
  };
}

const unreadable = (file: string): SignIn =>
  misconfigured(`${file} cannot be read as JSON`, `fix ${file}: gemini exits 52 on it`);

/** The variables that name another address of the service, by the type of the sign-in. */
export const ADDRESSES: Record<string, string> = {
  'gemini-api-key': 'GOOGLE_GEMINI_BASE_URL',
  'vertex-ai': 'GOOGLE_VERTEX_BASE_URL',
};

function addressMistake(type: string, environment: Variables): SignIn | null {
  const name = ADDRESSES[type];
  return name === undefined ? null : badAddress(name, environment[name] || null);
}

/** gemini compares it with the type, however that one is chosen. */
function otherThanEnforced(
  type: string,
  chosen: string,
  chosenIn: string | null,
  { environment, home, cwd }: Surroundings,
): SignIn | null {
  const { system, project, user } = settingsFiles(environment, home, cwd);
  for (const file of [system, project, user]) {
    const enforced = readAuth(file, 'enforcedType');
    if (enforced === type) return null;
    if (enforced === 'unreadable') return unreadable(file);
    if (enforced !== null)
      return misconfigured(
        `${file} enforces "${enforced}", but the sign-in is another: ${chosen}`,
        `set "selectedType": "${enforced}" in ${chosenIn ?? user}, or remove "enforcedType" from ${file}`,
      );
  }
  return null;
}

interface ChosenType {
  /** null if neither sets one. */
  type: string | 'unreadable' | null;
  /** The settings that set it, or cannot be read; null if the environment implies it. */
  file: string | null;
  /** The environment as the CLI completes it from its .env file. */
  known: Variables;
}

export function chosenType({ environment, home, cwd }: Surroundings): ChosenType {
  const { system, project, user } = settingsFiles(environment, home, cwd);
  const known = { ...readDotEnv(cwd, home), ...environment };
  for (const file of [system, project, user]) {
    const type = readAuth(file, 'selectedType');
    if (type !== null) return { type, file, known };
  }
  return { type: impliedType(known), file: null, known };
}

/** 2026-06-18; gemini reports `IneligibleTierError … UNSUPPORTED_CLIENT`. */
const RETIRED = 'a sign-in with a Google account, which Google shut for this client but for enterprise licences';

const SET_KEY = 'export GEMINI_API_KEY=…';

type Variables = Record<string, string | undefined>;

/** The order in which the CLI checks (0.61.0). */
function impliedType(known: Variables): string | null {
  if (known.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal';
  if (known.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai';
  if (known.GOOGLE_GEMINI_BASE_URL) return 'gateway';
  if (known.GEMINI_API_KEY) return 'gemini-api-key';
  if (known.CLOUD_SHELL === 'true' || known.GEMINI_CLI_USE_COMPUTE_ADC === 'true') return 'compute-default-credentials';
  return null;
}

function judge(type: string, known: Variables, folder: string, home: string, chosen: string): SignIn {
  const file = (name: string) => (existsSync(path.join(folder, name)) ? path.join(folder, name) : null);
  switch (type) {
    case 'oauth-personal': {
      const token = known.GOOGLE_CLOUD_ACCESS_TOKEN ? 'GOOGLE_CLOUD_ACCESS_TOKEN' : null;
      const by = token ?? file('oauth_creds.json') ?? file('gemini-credentials.json');
      // A licence names its project.
      if (by && known.GOOGLE_CLOUD_PROJECT) return { how: 'signed_in', by };
      if (by)
        return { how: 'unclear', because: `${by} is ${RETIRED}`, fix: `${SET_KEY} and choose "Use Gemini API key"` };
      return {
        how: 'unclear',
        because: `${chosen}, but there is no ${path.join(folder, 'oauth_creds.json')}`,
        fix: `run \`gemini\` once to sign in, or ${SET_KEY} and choose "Use Gemini API key"`,
      };
    }
    case 'gemini-api-key': {
      if (known.GEMINI_API_KEY) return { how: 'signed_in', by: 'GEMINI_API_KEY' };
      const because = `${chosen}, but GEMINI_API_KEY is not set`;
      // The CLI can also keep a key in the system's keyring.
      return { how: 'unclear', because, fix: SET_KEY };
    }
    case 'vertex-ai': {
      if (known.GOOGLE_API_KEY) return { how: 'signed_in', by: 'GOOGLE_API_KEY (Vertex AI)' };
      if (!known.GOOGLE_CLOUD_PROJECT || !known.GOOGLE_CLOUD_LOCATION)
        return {
          how: 'signed_out',
          because: `${chosen}, but neither GOOGLE_API_KEY nor GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION is set`,
          fix: 'export GOOGLE_API_KEY=…, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION',
        };
      const wellKnown = path.join(home, '.config/gcloud/application_default_credentials.json');
      if (known.GOOGLE_APPLICATION_CREDENTIALS) return { how: 'signed_in', by: 'GOOGLE_APPLICATION_CREDENTIALS' };
      if (existsSync(wellKnown)) return { how: 'signed_in', by: wellKnown };
      return {
        how: 'unclear',
        because: `${chosen}; no credentials file is found (on Google Cloud none is needed)`,
        fix: 'run `gcloud auth application-default login`',
      };
    }
    case 'compute-default-credentials':
    case 'cloud-shell':
      return { how: 'signed_in', by: "the machine's own Google account" };
    default:
      return {
        how: 'signed_out',
        because: `${chosen}, a sign-in that gemini takes only in a terminal`,
        fix: 'set `"security": {"auth": {"selectedType": "gemini-api-key"}}` in ~/.gemini/settings.json',
      };
  }
}

function readAuth(file: string, key: 'selectedType' | 'enforcedType'): string | null | 'unreadable' {
  const settings = readSettings(file);
  if (settings === null || settings === 'unreadable') return settings;
  const type = (settings as { security?: { auth?: Record<string, unknown> } }).security?.auth?.[key];
  return typeof type === 'string' && type !== '' ? type : null;
}

/** The CLI reads only the first of these files that exists. */
function readDotEnv(cwd: string, home: string): Variables {
  const files: string[] = [];
  for (let at = path.resolve(cwd); ; at = path.dirname(at)) {
    files.push(path.join(at, '.gemini/.env'), path.join(at, '.env'));
    if (at === path.dirname(at)) break;
  }
  files.push(path.join(home, '.gemini/.env'), path.join(home, '.env'));
  const first = files.find((name) => existsSync(name));
  return first === undefined ? {} : readDotEnvFile(first);
}
