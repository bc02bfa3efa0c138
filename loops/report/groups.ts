// The failures of many tasks by what failed: one line for one failure, however many tasks have it.

import type { TaskRow } from './task-row.ts';

export interface FailureGroup {
  /** null for failures without one: they are grouped by class and reason. */
  signature: string | null;
  class: string;
  reason: string | null;
  task_ids: string[];
  first_seen: string | null;
  last_seen: string | null;
  /** Of the task that failed last. */
  evidence: string | null;
}

/** The most frequent first. @param rows newest first. */
export function groupFailures(rows: readonly TaskRow[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const row of rows) {
    if (row.class === null) continue;
    const key = row.signature ?? `${row.class} ${row.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, begun(row));
    else {
      group.task_ids.push(row.task_id);
      if (row.since !== null && (group.first_seen === null || row.since < group.first_seen))
        group.first_seen = row.since;
    }
  }
  return [...groups.values()].sort((a, b) => b.task_ids.length - a.task_ids.length);
}

const begun = ({ signature, class: errorClass, reason, task_id, since, at, evidence }: TaskRow): FailureGroup => ({
  signature,
  class: errorClass!,
  reason,
  task_ids: [task_id],
  first_seen: since,
  last_seen: at,
  evidence,
});
