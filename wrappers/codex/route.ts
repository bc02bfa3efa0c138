// Decides how codex's requests reach their service: by the base URL of the provider that it would use.

import path from 'node:path';
import type { CallRequest, Route } from '../adapter.ts';
import { proxyInFile } from '../relay/proxy.ts';
import { readDotEnvFile } from '../sign-in.ts';
import { codexHome, OWN, providerOf } from './overlay.ts';

export function route(request: CallRequest): Route {
  const { environment } = request;
  const proxy = proxyInFile(readDotEnvFile(path.join(codexHome(request), '.env')), environment);
  if (proxy !== null) return fixed(proxy);
  const provider = providerOf(request);
  if (provider.how === 'fixed') return fixed("codex' built-in provider takes no other address for this sign-in");
  if (provider.how === 'key' && request.innerRetries === 'allow')
    return fixed('with --inner-retries allow codex asks its built-in provider, which takes no other address');
  const { baseUrl } = provider;
  if (baseUrl === null) return fixed("no base_url of codex' provider was found in its config.toml");
  if (provider.how === 'own' && provider.webSockets)
    return fixed("codex' provider speaks over web sockets, which are not recorded");
  // codex recognises Azure by its address, and sends it different requests.
  if (/azure|windows\.net/i.test(baseUrl)) return fixed('codex sends to Azure something else than to another address');
  const name = provider.how === 'own' ? provider.name : OWN;
  return {
    how: 'planned',
    upstream: baseUrl,
    through: (relay, overlay) => ({
      ...overlay,
      // If a setting is given twice, the later one counts.
      argv: [...overlay.argv, '-c', `model_providers.${name}.base_url=${JSON.stringify(relay)}`],
    }),
  };
}

const fixed = (because: string): Route => ({ how: 'fixed', because });
