// Defines the request for a batch, and decides when the batch begins no more tasks.

import type { Tool } from '../../policies/facts/tools.ts';
import type { RunContext, RunSettings } from '../task/run-context.ts';
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

interface BatchLimits {
  /** What happens to the tasks that have not begun when one has failed. */
  onFailure: 'go_on' | 'stop';
  /** Time awake until the batch makes no more calls; null means no limit. */
  maxMinutes: number | null;
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

interface BatchBounds {
  /** Stops the runs; a user or the time limit triggers it. */
  stop: RunContext['stop'];
  mayBegin(): boolean;
  failed(taskId: string): void;
  /** Says why some tasks were not done. @param notBegun the number of tasks that were not begun. */
  notes(notBegun: number): string[];
  /** Stops the timer. */
  close(): void;
}

export function openLimits(request: BatchLimits & { stop: AbortSignal; pause: RunContext['pause'] }): BatchBounds {
  const { onFailure, maxMinutes, stop, pause } = request;
  const late = new AbortController();
  const over = new AbortController();
  let firstFailed: string | null = null;
  if (maxMinutes !== null)
    void pause(maxMinutes * 60_000, AbortSignal.any([stop, over.signal])).then(() => {
      if (!stop.aborted && !over.signal.aborted) late.abort('the time limit of its batch');
    });
  const signal = maxMinutes === null ? stop : AbortSignal.any([stop, late.signal]);
  return {
    stop: signal,
    mayBegin: () => !signal.aborted && (onFailure === 'go_on' || firstFailed === null),
    failed(taskId) {
      firstFailed ??= taskId;
    },
    notes: (notBegun) => [
      ...(late.signal.aborted
        ? [`the ${maxMinutes} min of --max-minutes were over: running tasks were stopped, ${tasks(notBegun)} not begun`]
        : []),
      ...(onFailure === 'stop' && firstFailed !== null && notBegun > 0
        ? [`--fail-fast: after ${firstFailed} had failed, ${tasks(notBegun)} not begun, and those at work were let end`]
        : []),
    ],
    close: () => over.abort(),
  };
}

const tasks = (count: number): string => (count === 1 ? '1 task was' : `${count} tasks were`);
