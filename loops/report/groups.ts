// Groups the failures of many tasks: one line for each failure, however many tasks have it.

import { gatherFailures } from '../../policies/signature/sign.ts';
import type { TaskRow } from './task-row.ts';

export interface FailureGroup {
  /** null for failures without a signature: they are grouped by class and reason. */
  signature: string | null;
  class: string;
  reason: string | null;
  task_ids: string[];
  first_seen: string | null;
  last_seen: string | null;
  /** The evidence of the task that failed last. */
  evidence: string | null;
}

/**
 * Sorts the most frequent first.
 * @param rows newest first.
 */
export function groupFailures(rows: readonly TaskRow[]): FailureGroup[] {
  return gatherFailures(rows.filter((row) => row.class !== null)).map((same) => {
    const [{ signature, class: errorClass, reason, at, evidence }] = same;
    const times = same.flatMap(({ since }) => (since === null ? [] : [since]));
    return {
      signature,
      class: errorClass!,
      reason,
      task_ids: same.map(({ task_id }) => task_id),
      first_seen: times.sort()[0] ?? null,
      last_seen: at,
      evidence,
    };
  });
}
