// What a run does with its task, once the task is its own.

import type { EarlyGuardian } from '../attempt/dispatch.ts';
import type { CheckedStages, Planned } from '../task/plan.ts';
import type { Composing } from '../task/prompt.ts';
import type { RunRequest } from '../task/run-request.ts';
import type { TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import type { EndedRun } from './write-report.ts';

/** What is done while the task is ours: its stages in order, or what stands in their place. */
export interface RunWork {
  /** Before it is claimed. */
  mistake(open: OpenTask, request: RunRequest): string | null;
  /** Before anything is paid. */
  check(composing: Composing): Promise<Planned>;
  goThrough(task: TaskRun, checked: CheckedStages): Promise<EndedRun>;
  /** Before it is claimed; dismissed where nothing comes of it. */
  early?(composing: Composing): Promise<EarlyGuardian | null>;
}

/** What a run has of its own, once the task is its own. */
export type OwnedRun = Pick<TaskRun, 'runId' | 'early'>;
