// The flags that claude alone understands, under the names that copilot has for them.

import type { OwnFlag, OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  'allow-tool': { takes: 'texts', about: 'a tool the agent may use without asking (repeatable)' },
  'deny-tool': { takes: 'texts', about: 'a tool the agent may not use (repeatable)' },
} as const satisfies Record<string, OwnFlag>;

export type ClaudeOwn = OwnOf<typeof OWN_FLAGS>;
