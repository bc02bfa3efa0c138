// The flags that gemini alone understands.

import { ALLOW_COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';

export const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  sandbox: { takes: 'nothing', about: "use gemini's sandbox" },
  'approval-mode': {
    takes: 'choice',
    choices: ['default', 'auto_edit', 'yolo'],
    about: 'instead of what --access means',
  },
} as const satisfies Record<string, OwnFlag>;

export type GeminiOwn = OwnOf<typeof OWN_FLAGS>;
