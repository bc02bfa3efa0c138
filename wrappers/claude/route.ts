// Decides how claude's requests reach their service: which service it calls, by what address, and that it sends each once.

import type { CallRequest, Overlay, Route } from '../adapter.ts';
import { PROXIES } from '../relay/proxy.ts';
import { MANAGED, readSettings, type SettingsFile, variable } from './settings.ts';

export function route({ environment, cwd, innerRetries }: CallRequest): Route {
  const settings = readSettings({ environment, cwd });
  const cloud = cloudOf(settings, environment);
  if (cloud !== null) return fixed(`claude asks a cloud's own service (${cloud})`);
  // A proxy of the environment is checked for every CLI.
  const proxy = PROXIES.map((name) => variable(name, settings, {})).find((found) => found !== null);
  if (proxy) return fixed(`${proxy.by} is set, and the relay does not ask through a proxy`);
  const managed = settings.filter(({ file }) => MANAGED[process.platform]?.includes(file));
  if (variable(BASE_URL, managed, {}) !== null)
    return fixed(`an administrator's settings name ${BASE_URL}, and nothing goes before them`);
  // The relay's address is not one of the service.
  const more = innerRetries === 'cut' ? oncePerRefusal(settings, environment) : {};
  return {
    how: 'planned',
    upstream: addressOf(settings, environment),
    through: (relay, overlay) => redirect(overlay, { ...more, [BASE_URL]: relay }),
  };
}

const fixed = (because: string): Route => ({ how: 'fixed', because });

/** Sets them in the settings of the call, which override those that may set another. */
function redirect(overlay: Overlay, variables: Record<string, string>): Overlay {
  const argv = overlay.argv.map((word, at) => {
    if (overlay.argv[at - 1] !== '--settings') return word;
    const settings = JSON.parse(word) as { env: Record<string, string> };
    return JSON.stringify({ ...settings, env: { ...settings.env, ...variables } });
  });
  return { ...overlay, argv };
}

/**
 * At its own service claude sends one request. Elsewhere it sends up to eight, each with one beta less, and restarts a turn whose
 * tools have already run. Without betas it sends one there too, and declares all tools in full instead of some by name.
 */
export function noGuesses(settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): Record<string, string> {
  if (cloudOf(settings, environment) === null && isService(addressOf(settings, environment))) return {};
  return oncePerRefusal(settings, environment);
}

/** Changes nothing if the user has set either of the two. */
const oncePerRefusal = (settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): Record<string, string> =>
  [BETAS_OFF, TOOLS_BY_NAME].some((name) => variable(name, settings, environment) !== null) ? {} : { [BETAS_OFF]: '1' };

const BETAS_OFF = 'CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS';

const TOOLS_BY_NAME = 'ENABLE_TOOL_SEARCH';

const BASE_URL = 'ANTHROPIC_BASE_URL';

const SERVICE = 'https://api.anthropic.com';

const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/** The variable that sends claude to a cloud; null if none does. */
export const cloudOf = (settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): string | null =>
  CLOUDS.find((name) => variable(name, settings, environment) !== null) ?? null;

const addressOf = (settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): string =>
  variable(BASE_URL, settings, environment)?.value ?? SERVICE;

/** claude itself recognises its service by the host, without a port. */
const isService = (address: string): boolean =>
  URL.canParse(address) && new URL(address).host === new URL(SERVICE).host;
