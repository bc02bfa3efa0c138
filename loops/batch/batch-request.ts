// Defines the request for a batch.

import type { Tool } from '../../policies/facts/tools.ts';
import type { RunSettings } from '../task/run-context.ts';
import type { BatchLimits } from './limits.ts';
import type { BatchRow } from './row.ts';

export interface BatchRequest extends RunSettings, BatchLimits {
  /** The tasks: ids, or paths. */
  words: readonly string[];
  /** The number of paid calls that run at once. */
  concurrency: number;
  /** The flags as given. The command that continues the batch repeats them. */
  flags: readonly string[];
  /** What to do if some of the tasks cannot be run. */
  badTasks: 'refuse' | 'skip';
  /** `by_class`: the code of the failure that comes first in EXIT_ORDER. */
  exitCode: 'plain' | 'by_class';
  /** Called after every change; `row` is the task that has just ended. */
  tell(progress: BatchProgress): void;
}

/** The progress of a batch: its tasks by count, and its paid calls so far. */
export interface BatchProgress {
  row: BatchRow | null;
  total: number;
  done: number;
  failed: number;
  active: number;
  calls: number;
  /** Calls in progress, by tool. */
  running: Partial<Record<Tool, number>>;
}
