// The flags that copilot alone understands.

import { ALLOW_COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  'allow-tool': { takes: 'texts', about: 'a tool the agent may use without asking (repeatable)' },
  'deny-tool': { takes: 'texts', about: 'a tool the agent may not use (repeatable)' },
} as const satisfies Record<string, OwnFlag>;

export type CopilotOwn = OwnOf<typeof OWN_FLAGS>;
