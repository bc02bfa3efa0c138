// What a run of a task is asked to do.

import type { RunSettings } from './run-context.ts';

/** A run as a command asks for it. */
export interface RunRequest extends RunSettings {
  /** The task: an id, or a path. */
  word: string;
}
