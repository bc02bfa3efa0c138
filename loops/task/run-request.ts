// Defines the request for a run of a task.

import type { RunSettings } from './run-context.ts';

/** A run as a command requests it. */
export interface RunRequest extends RunSettings {
  /** The task: an id, or a path. */
  word: string;
}
