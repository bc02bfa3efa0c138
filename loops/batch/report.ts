// The facts of a batch: a row for each task, the failures by what they have in common, and what to do next.

import { EXIT_BUG, type EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import type { TaskRow, Told } from './row.ts';

export interface BatchReport {
  schema: 1;
  batch_id: string;
  state: 'done' | 'failed' | 'interrupted';
  exit_code: number;
  tasks: TaskRow[];
  totals: Record<TaskRow['state'], number> & { tasks: number; calls: number; duration_ms: number };
  by_failure: FailureGroup[];
  notes: string[];
  next_actions: string[];
  files: { report: string; summary: string; left: string | null };
}

export interface FailureGroup {
  signature: string | null;
  class: TaskRow['class'];
  reason: string | null;
  /** The message of the first, where there is no failure record. */
  message: string | null;
  retry_at: string | null;
  count: number;
  /** The first 20. */
  tasks: string[];
  /** As the first task's own report says. */
  next_actions: string[];
}

const NAMED = 20;

/** The most frequent first. */
export function groupFailures(told: readonly Told[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { row, next } of told) {
    if (row.state !== 'failed' && row.state !== 'refused') continue;
    const key = row.signature ?? `${row.state} ${row.class} ${row.reason} ${row.message}`;
    const group = groups.get(key) ?? groupOf(row, next);
    groups.set(key, group);
    group.count += 1;
    if (group.tasks.length < NAMED) group.tasks.push(row.task_id);
    if (row.retry_at !== null && (group.retry_at === null || row.retry_at > group.retry_at))
      group.retry_at = row.retry_at;
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

function groupOf({ signature, class: errorClass, reason, message, retry_at }: TaskRow, next: string[]): FailureGroup {
  return { signature, class: errorClass, reason, message, retry_at, count: 0, tasks: [], next_actions: next };
}

export function totalsOf(rows: readonly TaskRow[], durationMs: number): BatchReport['totals'] {
  const count = (state: TaskRow['state']) => rows.filter((row) => row.state === state).length;
  return {
    tasks: rows.length,
    done: count('done'),
    failed: count('failed'),
    refused: count('refused'),
    interrupted: count('interrupted'),
    not_started: count('not_started'),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    duration_ms: durationMs,
  };
}

export function endOf(
  rows: readonly TaskRow[],
  stopExit: (typeof EXIT_BY_SIGNAL)[keyof typeof EXIT_BY_SIGNAL] | null,
): Pick<BatchReport, 'state' | 'exit_code'> {
  if (stopExit !== null) return { state: 'interrupted', exit_code: stopExit };
  if (rows.some(({ exit_code }) => exit_code === EXIT_BUG)) return { state: 'failed', exit_code: EXIT_BUG };
  const done = rows.every(({ state }) => state === 'done');
  return done ? { state: 'done', exit_code: TOLLGATE_EXIT.ok } : { state: 'failed', exit_code: TOLLGATE_EXIT.failure };
}
