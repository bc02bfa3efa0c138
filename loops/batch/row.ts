// Makes the one small row that a batch keeps of each task, whatever its result.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import { EXIT_BUG, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { goOnLine, type NextAction, toType } from '../../policies/facts/next-action.ts';
import { reachesShare } from '../../policies/manifest/notification.ts';
import { changedActions, type Named } from '../../policies/verdict/changed-prompt.ts';
import { refusalOf } from '../../state/system-error.ts';
import type { RanTask } from '../run/owned-run.ts';
import type { StageReport } from '../run/report.ts';
import type { Bad } from './check-tasks.ts';

export type BatchState = 'done' | 'failed' | 'broken' | 'interrupted' | 'refused' | 'not_started';

/** A task in `report.json`. Times are ISO; null means unknown or not applicable. */
export interface BatchRow {
  task_id: string;
  /** `refused`: it was not run; `broken`: it was run, and produced no report. `message` says why. */
  state: BatchState;
  /** null for a task that was not started. */
  exit_code: number | null;
  failed_stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  signature: string | null;
  retry_at: string | null;
  /** Paid calls of this batch. */
  calls: number;
  /** One sentence if there is no failure record. */
  message: string | null;
  /** Empty if no stage was run. */
  stages: BatchStage[];
}

/** The part of a stage report that is kept for thousands of tasks. */
export type BatchStage = Omit<StageReport, 'session' | 'session_id' | 'warnings'>;

/** @param next the next actions from the task's own report. */
export interface RowEnd {
  row: BatchRow;
  next: NextAction[];
  /** The task used at least four fifths of its paid calls in this batch. */
  nearBudget?: boolean;
}

/** @param paid counts the calls that this batch has paid for the task; used if no report has the count. */
export function rowOf(taskId: string, ran: RanTask, paid: () => number): RowEnd {
  if (ran.how === 'invalid') return { row: refusedRow(taskId, ran.message), next: [] };
  if (ran.how === 'ran' || ran.how === 'refused') {
    const { report } = ran;
    const { failure, exit_code, message } = report;
    // A batch does not run a task that could park.
    const state = report.state === 'parked' ? 'failed' : report.state;
    const stages = report.stages.map(({ session: _, session_id: __, warnings: ___, ...stage }) => stage);
    const calls = report.stages.reduce((sum, stage) => sum + stage.calls, 0);
    const failed = failure && {
      failed_stage: failure.stage,
      class: failure.class,
      reason: failure.reason,
      signature: failure.signature,
      retry_at: failure.retry_at,
    };
    const row = { ...EMPTY, task_id: taskId, state, exit_code, calls, message, stages, ...failed };
    return { row, next: report.next_actions, nearBudget: reachesShare(report.budget, calls) };
  }
  const { exitCode: exit_code, message } = ran;
  if (ran.how === 'awaited') {
    const state = exit_code === 0 ? 'done' : 'failed';
    return { row: { ...EMPTY, task_id: taskId, state, exit_code, message }, next: [] };
  }
  const calls = paid();
  const state = exit_code > 128 ? 'interrupted' : calls > 0 ? 'broken' : 'refused';
  return { row: { ...EMPTY, task_id: taskId, state, exit_code, calls, message }, next: [] };
}

export function refusedRow(taskId: string, message: string): BatchRow {
  return { ...EMPTY, task_id: taskId, state: 'refused', exit_code: TOLLGATE_EXIT.badInput, message };
}

/** Its stages were begun, and it is not done. */
export const isBegun = ({ state, stages }: BatchRow): boolean =>
  (state === 'failed' || state === 'interrupted' || state === 'broken') && stages.length > 0;

/** The row of a task that was found unfit before any task began. */
export function badRow({ word, message, changed }: Bad, named: Named & { launcher: string; trusts: boolean }): RowEnd {
  const row = refusedRow(word, message);
  const [first] = changed;
  const called = { ...named, verb: 'run', word } as const;
  if (first === undefined) return { row, next: [toType('when that is corrected, run it', goOnLine(called), 'pays')] };
  const failed = { failed_stage: first.stage, class: 'tooling', reason: 'prompt_changed' } as const;
  return { row: { ...row, ...failed }, next: changedActions(called, changed, named) };
}

/** An unexpected error of one task must not end the others. */
export function surprisedRow(taskId: string, error: unknown, paid: () => number): RowEnd {
  const refusal = refusalOf(error);
  if (refusal !== null) {
    const row = { ...EMPTY, task_id: taskId, exit_code: TOLLGATE_EXIT.failure, calls: paid(), message: refusal };
    return { row: { ...row, state: 'broken' }, next: [] };
  }
  const message = `a bug of tollgate; please report it: ${error instanceof Error ? error.stack : String(error)}`;
  return { row: { ...EMPTY, task_id: taskId, state: 'broken', exit_code: EXIT_BUG, calls: paid(), message }, next: [] };
}

export const waitingRow = (taskId: string): BatchRow => ({
  ...EMPTY,
  task_id: taskId,
  state: 'not_started',
  exit_code: null,
});

const EMPTY: Omit<BatchRow, 'task_id' | 'state' | 'exit_code'> = {
  failed_stage: null,
  class: null,
  reason: null,
  signature: null,
  retry_at: null,
  calls: 0,
  message: null,
  stages: [],
};
