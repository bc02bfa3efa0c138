// Whoever asks a call to stop.

import type { EXIT_BY_SIGNAL } from '../../policies/facts/exit-codes.ts';

export interface CallStop {
  /** Resolves when we are told to stop. */
  asked: Promise<void>;
  /** Which signal stopped us, once one did. */
  by(): keyof typeof EXIT_BY_SIGNAL | null;
}
