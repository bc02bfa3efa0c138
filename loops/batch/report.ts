// Makes the facts of a batch: a row for each task, the failures in groups, and the next actions.

import { EXIT_BUG, type EXIT_BY_SIGNAL, EXIT_ORDER, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import { gatherFailures } from '../../policies/signature/sign.ts';
import { exitByClass } from '../call/exit.ts';
import type { Notified } from '../upkeep/sent.ts';
import type { BatchRow, BatchState, RowEnd } from './row.ts';

export interface BatchReport {
  schema: 1;
  batch_id: string;
  state: 'done' | 'failed' | 'interrupted';
  exit_code: number;
  tasks: BatchRow[];
  totals: Record<BatchState, number> & { tasks: number; calls: number; duration_ms: number };
  by_failure: BatchFailure[];
  notes: string[];
  next_actions: NextAction[];
  files: { report: string; summary: string; left: string | null };
  /** The notifications of its end; absent if none was configured. */
  notified?: Notified[];
}

export interface BatchFailure {
  signature: string | null;
  class: BatchRow['class'];
  reason: string | null;
  /** The message of the first task, if there is no failure record. */
  message: string | null;
  /** The latest time. */
  retry_at: string | null;
  count: number;
  /** The first 20. */
  task_ids: string[];
  /** The actions from the first task's own report. */
  next_actions: NextAction[];
}

const NAMED = 20;

const FAILURES: readonly BatchState[] = ['failed', 'broken', 'refused'];

/** Sorts the most frequent first. */
export function failuresOf(ends: readonly RowEnd[]): BatchFailure[] {
  const failed = ends.filter(({ row: { state } }) => FAILURES.includes(state));
  return gatherFailures(failed.map(({ row, next }) => ({ ...row, next }))).map((same) => {
    const [{ signature, class: errorClass, reason, message, next }] = same;
    const resets = same.flatMap(({ retry_at }) => (retry_at === null ? [] : [retry_at]));
    return {
      signature,
      class: errorClass,
      reason,
      message,
      retry_at: resets.sort().at(-1) ?? null,
      count: same.length,
      task_ids: same.slice(0, NAMED).map(({ task_id }) => task_id),
      next_actions: next,
    };
  });
}

export function totalsOf(rows: readonly BatchRow[], durationMs: number): BatchReport['totals'] {
  const count = (state: BatchState) => rows.filter((row) => row.state === state).length;
  return {
    tasks: rows.length,
    done: count('done'),
    failed: count('failed'),
    broken: count('broken'),
    refused: count('refused'),
    interrupted: count('interrupted'),
    not_started: count('not_started'),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    duration_ms: durationMs,
  };
}

export function endOf(
  rows: readonly BatchRow[],
  stopExit: (typeof EXIT_BY_SIGNAL)[keyof typeof EXIT_BY_SIGNAL] | null,
  exitCode: 'plain' | 'by_class',
): Pick<BatchReport, 'state' | 'exit_code'> {
  if (stopExit !== null) return { state: 'interrupted', exit_code: stopExit };
  if (rows.some(({ exit_code }) => exit_code === EXIT_BUG)) return { state: 'failed', exit_code: EXIT_BUG };
  const done = rows.every(({ state }) => state === 'done');
  if (done) return { state: 'done', exit_code: TOLLGATE_EXIT.ok };
  return { state: 'failed', exit_code: exitCode === 'plain' ? TOLLGATE_EXIT.failure : firstOf(rows) };
}

/** Returns the first code in EXIT_ORDER among the codes of the failures. */
function firstOf(rows: readonly BatchRow[]): number {
  const codes = rows.map((row) => exitByClass(TOLLGATE_EXIT.failure, { ...row, evidence: null }));
  return EXIT_ORDER.find((code) => codes.includes(code)) ?? TOLLGATE_EXIT.failure;
}
