// How claude's requests go to their service: by the base URL of its settings or its environment.

import type { CallRequest, Overlay, Route } from '../adapter.ts';
import { PROXIES } from '../relay/proxy.ts';
import { MANAGED, readSettings, variable } from './settings.ts';

export function route({ environment, cwd }: CallRequest): Route {
  const settings = readSettings({ environment, cwd });
  const cloud = CLOUDS.find((name) => variable(name, settings, environment) !== null);
  if (cloud !== undefined) return fixed(`claude asks a cloud's own service (${cloud})`);
  // One of the environment is looked for with every CLI.
  const proxy = PROXIES.map((name) => variable(name, settings, {})).find((found) => found !== null);
  if (proxy) return fixed(`${proxy.by} is set, and the relay does not ask through a proxy`);
  const managed = settings.filter(({ file }) => MANAGED[process.platform]?.includes(file));
  if (variable(BASE_URL, managed, {}) !== null)
    return fixed(`an administrator's settings name ${BASE_URL}, and nothing goes before them`);
  return {
    how: 'directed',
    upstream: variable(BASE_URL, settings, environment)?.value ?? 'https://api.anthropic.com',
    through: redirect,
  };
}

const fixed = (because: string): Route => ({ how: 'fixed', because });

const BASE_URL = 'ANTHROPIC_BASE_URL';
const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/** In the settings of the call, which go before those that may name another. */
function redirect(relay: string, overlay: Overlay): Overlay {
  const argv = overlay.argv.map((word, at) => {
    if (overlay.argv[at - 1] !== '--settings') return word;
    const settings = JSON.parse(word) as { env: Record<string, string> };
    return JSON.stringify({ ...settings, env: { ...settings.env, [BASE_URL]: relay } });
  });
  return { ...overlay, argv };
}
