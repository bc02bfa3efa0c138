// What a batch keeps of each task: one small row, whatever became of it.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import { EXIT_BUG, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { type CalledAs, goOnLine, type NextAction, toType } from '../../policies/facts/next-action.ts';
import { reachesShare } from '../../policies/notify/notification.ts';
import { changedActions, type Named } from '../../policies/retry/changed-prompt.ts';
import { refusalOf } from '../../state/system-error.ts';
import type { StageReport } from '../run/report.ts';
import type { RanTask } from '../run/run-work.ts';
import type { Bad } from './look.ts';

export type BatchState = 'done' | 'failed' | 'broken' | 'interrupted' | 'refused' | 'not_started';

/** A task in `report.json`; times are ISO, null is what is unknown or does not apply. */
export interface BatchRow {
  task_id: string;
  /** `refused`: it was not run; `broken`: it was, and left no report. `message` says why. */
  state: BatchState;
  /** null for one that was not started. */
  exit_code: number | null;
  failed_stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  signature: string | null;
  retry_at: string | null;
  /** Paid calls of this batch. */
  calls: number;
  /** One sentence where there is no failure record. */
  message: string | null;
  /** Empty where nothing was run. */
  stages: BatchStage[];
}

/** Of a stage what is told of thousands of tasks. */
export type BatchStage = Omit<StageReport, 'session' | 'session_id' | 'warnings'>;

/** @param next what its own report says to do next. */
export interface RowTold {
  row: BatchRow;
  next: NextAction[];
  /** In this batch it reached four fifths of its paid calls. */
  nearBudget?: boolean;
}

/** @param paid how many calls this batch has paid for the task, asked where no report says it. */
export function rowOf(taskId: string, ran: RanTask, paid: () => number): RowTold {
  if (ran.how === 'invalid') return { row: refusedRow(taskId, ran.message), next: [] };
  if (ran.how === 'ran' || ran.how === 'refused') {
    const { report } = ran;
    const { failure, exit_code, message } = report;
    // No batch runs a task that could be.
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

/** Its stages were gone into, and it is not done. */
export const isBegun = ({ state, stages }: BatchRow): boolean =>
  (state === 'failed' || state === 'interrupted' || state === 'broken') && stages.length > 0;

/** One that was found unfit before any was begun. */
export function badRow({ word, message, changed }: Bad, named: Named & Pick<CalledAs, 'launcher' | 'trusts'>): RowTold {
  const row = refusedRow(word, message);
  const [first] = changed;
  const called = { ...named, verb: 'run', word } as const;
  if (first === undefined) return { row, next: [toType('when that is mended, run it', goOnLine(called), 'pays')] };
  const failed = { failed_stage: first.stage, class: 'tooling', reason: 'prompt_changed' } as const;
  return { row: { ...row, ...failed }, next: changedActions(called, changed, named) };
}

/** One task that meets what nobody expected must not take the others with it. */
export function surprisedRow(taskId: string, error: unknown, paid: () => number): RowTold {
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
