// Decides how gemini's requests reach their service: by an address in the environment, if its sign-in accepts one.

import { readRegular } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { CallRequest, Overlay, Route } from '../adapter.ts';
import { homeOf } from '../home.ts';
import { proxyInFile } from '../relay/proxy.ts';
import { readSettings, type Settings, settingsFiles } from './settings.ts';
import { ADDRESSES, chosenType } from './sign-in.ts';

export function route(request: CallRequest): Route {
  const { environment, cwd } = request;
  const home = homeOf(environment) ?? cwd;
  if (isSandboxed(request, home))
    return fixed('gemini runs in a sandbox, from which a relay on this machine may not be reached');
  const { type, file, known } = chosenType({ environment, home, cwd });
  const proxy = proxyInFile(known, environment);
  if (proxy !== null) return fixed(proxy);
  const variable = type === null ? undefined : ADDRESSES[type];
  if (variable === undefined)
    return fixed(`gemini's sign-in (${type ?? 'none is known'}) asks a service whose address is not ours to set`);
  if (known[variable] !== environment[variable])
    return fixed(`${variable} is set in a .env file, of which gemini may or may not take it`);
  const upstream = known[variable] || SERVICES[type as keyof typeof SERVICES](known);
  if (upstream === null)
    return fixed('the address of Vertex AI hangs on project and region; set GOOGLE_VERTEX_BASE_URL to it');
  return {
    how: 'planned',
    upstream,
    through: (relay, overlay) =>
      type === 'gemini-api-key' && file === null
        ? selected(type, overlay, { [variable]: relay })
        : { ...overlay, environment: { ...overlay.environment, [variable]: relay } },
  };
}

const fixed = (because: string): Route => ({ how: 'fixed', because });

/** The addresses that gemini 0.61.0 calls by default. */
const SERVICES = {
  'gemini-api-key': () => 'https://generativelanguage.googleapis.com/',
  'vertex-ai': ({ GOOGLE_API_KEY, GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION }: Record<string, string | undefined>) =>
    GOOGLE_API_KEY && !GOOGLE_CLOUD_PROJECT && !GOOGLE_CLOUD_LOCATION ? 'https://aiplatform.googleapis.com/' : null,
};

/** An address in the environment makes gemini use the sign-in "gateway", which it refuses, unless settings name another. */
function selected(selectedType: string, overlay: Overlay, environment: Record<string, string>): Overlay {
  const file = overlay.environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH;
  if (file === undefined)
    return {
      ...overlay,
      warnings: [...overlay.warnings, UNSELECTED],
    };
  const settings = JSON.parse(readRegular(file)) as Settings;
  const security = (settings.security ?? {}) as Settings;
  const changed = { ...settings, security: { ...security, auth: { ...(security.auth as Settings), selectedType } } };
  replaceText(file, JSON.stringify(changed, null, 2));
  return { ...overlay, environment: { ...overlay.environment, ...environment } };
}

const UNSELECTED =
  'no request is recorded: gemini takes another address only with "security": {"auth": {"selectedType": "gemini-api-key"}} in its settings.json';

function isSandboxed({ own, environment, cwd }: CallRequest, home: string): boolean {
  const named = environment.GEMINI_SANDBOX;
  if (own.sandbox || (named !== undefined && !/^(?:|0|false)$/i.test(named))) return true;
  const { system, project, user } = settingsFiles(environment, home, cwd);
  return [system, project, user].map(readSettings).some((settings) => {
    if (settings === null || settings === 'unreadable') return false;
    return Boolean((settings.tools as Settings | undefined)?.sandbox || settings.sandbox);
  });
}
