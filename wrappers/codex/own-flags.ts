// The flags that codex alone understands.

import { ALLOW_COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  effort: { takes: 'choice', choices: ['low', 'medium', 'high', 'xhigh'], about: 'how hard the model thinks' },
} as const satisfies Record<string, OwnFlag>;

export type CodexOwn = OwnOf<typeof OWN_FLAGS>;
