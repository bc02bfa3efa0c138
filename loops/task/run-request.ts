// What a run of a task is asked to do.

import type { RunSettings } from './run-context.ts';

export interface RunRequest extends RunSettings {
  /** The task: an id, or a path. */
  word: string;
}
