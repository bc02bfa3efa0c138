// Decides how claude's requests reach their service: by the base URL of its settings or its environment.

import type { CallRequest, Overlay, Route } from '../adapter.ts';
import { PROXIES } from '../relay/proxy.ts';
import { oncePerRefusal } from './betas.ts';
import { addressOf, BASE_URL, cloudOf } from './service.ts';
import { MANAGED, readSettings, variable } from './settings.ts';

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
    how: 'directed',
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
