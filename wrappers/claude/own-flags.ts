// The flags that claude alone understands, under the names that codex and copilot have for what they share.

import { ALLOW_COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  'allow-tool': { takes: 'texts', about: 'a tool the agent may use without asking (repeatable)' },
  'deny-tool': { takes: 'texts', about: 'a tool the agent may not use (repeatable)' },
  effort: { takes: 'choice', choices: ['low', 'medium', 'high', 'xhigh', 'max'], about: 'how hard the model thinks' },
  'json-schema': { takes: 'text', about: 'a JSON Schema: the answer is JSON that fits it' },
} as const satisfies Record<string, OwnFlag>;

export type ClaudeOwn = OwnOf<typeof OWN_FLAGS>;
