// Holds the terms with which a call was sent, as the run that waits for it knows them.

import type { CallLimits } from '../../policies/manifest/call-terms.ts';

export interface SentTerms {
  limits: CallLimits;
  /** By the steady clock. */
  atMs: number;
}
