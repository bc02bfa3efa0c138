// What gemini alone needs to be told about the machine that it would run on.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';

export const geminiNeeds = ({ uid }: { uid: number }): CheckAnswer =>
  uid === 0
    ? null
    : say(
        'note',
        'only root can turn its own retries off; those that it announces are cut instead',
        'let an administrator set general.maxAttempts to 1 in its system settings',
      );
