// Declares the grouped failures, and the explanation of one failure.

import type { FailureExplanation } from '../../loops/report/explanation.ts';
import type { FailureGroup } from '../../loops/report/groups.ts';

export type { FailureExplanation } from '../../loops/report/explanation.ts';
export type { FailureGroup } from '../../loops/report/groups.ts';

export interface FailuresShown {
  groups: FailureGroup[];
}

export interface ExplainedShown {
  /** null if nothing failed. */
  explanation: FailureExplanation | null;
  message: string;
}
