// What a batch is asked to do.

import type { Tool } from '../../policies/facts/tools.ts';
import type { RunSettings } from '../task/run-context.ts';
import type { BatchLimits } from './limits.ts';
import type { BatchRow } from './row.ts';

export interface BatchRequest extends RunSettings, BatchLimits {
  /** The tasks: ids, or paths. */
  words: readonly string[];
  /** Paid calls that are made at once. */
  concurrency: number;
  /** As they were given, for the line that goes on: a wish of this batch is one of the next. */
  flags: readonly string[];
  /** What to do when some of them cannot be run. */
  badTasks: 'refuse' | 'skip';
  /** `by_class`: that of the failure that comes first in EXIT_ORDER. */
  exitCode: 'plain' | 'by_class';
  /** Told whenever something has changed; `row` is the task that has just ended. */
  tell(progress: BatchProgress): void;
}

/** How far a batch is: tasks by count, and its paid calls so far. */
export interface BatchProgress {
  row: BatchRow | null;
  total: number;
  done: number;
  failed: number;
  active: number;
  calls: number;
  /** Calls that are being made, by tool. */
  running: Partial<Record<Tool, number>>;
}
