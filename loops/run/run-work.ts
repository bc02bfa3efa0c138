// Defines what a run does with its task after it has claimed the task, and how it ends.

import type { CheckedStages, Planned } from '../task/plan.ts';
import type { Composing } from '../task/prompt.ts';
import type { RunRequest } from '../task/run-request.ts';
import type { TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import type { EndedRun, WrittenReport } from './write-report.ts';

/** @property work null for its stages in order. */
export type WorkedRun = RunRequest & { work: RunWork | null };

/** The work that is done while the task is ours: its stages in order, or something instead of them. */
export interface RunWork {
  /** Called before the task is claimed. */
  mistake(open: OpenTask, request: RunRequest): string | null;
  /** Called before anything is paid. */
  check(composing: Composing): Promise<Planned>;
  goThrough(task: TaskRun, checked: CheckedStages): Promise<EndedRun>;
}

/** `invalid`: a mistake in the input; nothing was paid. */
export type RanTask =
  | ({ how: 'ran' } & WrittenReport)
  /** The task is ours, but cannot be run in its current state: its report says why. */
  | ({ how: 'refused'; message: string } & WrittenReport)
  /** We ran nothing: the outcome is that of the run that had the task. */
  | { how: 'awaited'; exitCode: number; message: string }
  | { how: 'not_run'; exitCode: number; message: string }
  | { how: 'invalid'; message: string };
