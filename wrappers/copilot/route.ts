// Decides how copilot's requests reach their service: by the address of the user's provider.

import type { CallRequest, Route } from '../adapter.ts';

export function route({ environment }: CallRequest): Route {
  const upstream = environment.COPILOT_PROVIDER_BASE_URL;
  if (!upstream)
    return fixed(
      "copilot asks GitHub's own service, whose address is fixed; only a provider of your own can be recorded",
    );
  if (environment.COPILOT_PROVIDER_TYPE === 'azure')
    return fixed('how copilot speaks to Azure at another address is not known');
  return {
    how: 'planned',
    upstream,
    through: (relay, overlay) => ({
      ...overlay,
      environment: { ...overlay.environment, COPILOT_PROVIDER_BASE_URL: relay },
    }),
  };
}

const fixed = (because: string): Route => ({ how: 'fixed', because });
