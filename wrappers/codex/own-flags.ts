// The flags that codex alone understands.

import type { OwnFlag, OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  effort: { takes: 'choice', choices: ['low', 'medium', 'high', 'xhigh'], about: 'how hard the model thinks' },
} as const satisfies Record<string, OwnFlag>;

export type CodexOwn = OwnOf<typeof OWN_FLAGS>;
