// What a call was sent with, as the run that waits for it knows.

import type { CallLimits } from '../../policies/manifest/call-terms.ts';

export interface SentTerms {
  limits: CallLimits;
  /** By the steady clock. */
  atMs: number;
}
