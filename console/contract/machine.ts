// Declares the state of the machine, as preflight finds it.

import type { CheckFinding } from '../../policies/facts/finding.ts';

export interface MachineShown {
  findings: CheckFinding[];
  clis: {
    tool: string;
    version: string | null;
    /** null if it is not installed. */
    path: string | null;
    /** In words. */
    signed_in: string;
  }[];
}
