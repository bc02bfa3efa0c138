// Declares the grouped failures, and the explanation of one failure.

import type { FailureGroup } from '../../loops/report/collect.ts';
import type { FailureExplanation } from '../../loops/report/explanation.ts';

export type { FailureGroup } from '../../loops/report/collect.ts';
export type { FailureExplanation } from '../../loops/report/explanation.ts';

export interface FailuresShown {
  groups: FailureGroup[];
}

export interface ExplainedShown {
  /** null if nothing failed. */
  explanation: FailureExplanation | null;
  message: string;
}
