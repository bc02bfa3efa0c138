// Notes for preflight that only root can turn gemini's inner retries off.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';

export const geminiNeeds = ({ uid }: { uid: number }): CheckAnswer =>
  uid === 0
    ? null
    : say(
        'note',
        'only root can turn its own retries off; those that it announces are cut instead',
        'let an administrator set general.maxAttempts to 1 in its system settings',
      );
