// What a run does with its task, once the task is its own, and how it ends.

import type { CheckedStages, Planned } from '../task/plan.ts';
import type { Composing } from '../task/prompt.ts';
import type { RunRequest } from '../task/run-request.ts';
import type { TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import type { EndedRun, WrittenReport } from './write-report.ts';

/** @property work null for its stages in order. */
export type WorkedRun = RunRequest & { work: RunWork | null };

/** What is done while the task is ours: its stages in order, or what stands in their place. */
export interface RunWork {
  /** Before it is claimed. */
  mistake(open: OpenTask, request: RunRequest): string | null;
  /** Before anything is paid. */
  check(composing: Composing): Promise<Planned>;
  goThrough(task: TaskRun, checked: CheckedStages): Promise<EndedRun>;
}

/** `invalid`: a mistake in what was given; nothing was paid. */
export type RanTask =
  | ({ how: 'ran' } & WrittenReport)
  /** The task is ours, and cannot be run as it stands: its report says why. */
  | ({ how: 'refused'; message: string } & WrittenReport)
  /** Nothing was run by us: the outcome is that of the run which had the task. */
  | { how: 'awaited'; exitCode: number; message: string }
  | { how: 'not_run'; exitCode: number; message: string }
  | { how: 'invalid'; message: string };
