// What a run of a task is asked to do.

import type { EXIT_BY_SIGNAL } from '../../policies/facts/exit-codes.ts';
import type { CallWishes } from './call-wishes.ts';
import type { Underway } from './last-event.ts';
import type { Slots } from './slots.ts';

export interface RunRequest extends CallWishes {
  /** The task: an id, or a path. */
  word: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  /** While another run has the task. `force` takes it, and its open calls, from one that cannot be looked up from here. */
  whenTaken: 'wait' | 'refuse' | 'force';
  redo: readonly string[];
  keep: readonly string[];
  /** What becomes of the stages whose prompt has changed, and which neither of them names. */
  changed: 'refuse' | 'redo' | 'keep';
  /** What becomes of a task whose files were changed while another task's agent ran. */
  otherChanges: 'refused' | 'accepted';
  dirtyRetries: 'never' | 'allowed';
  /** Of a batch: where calls wait for a place. */
  slots?: Slots;
  /** What becomes of changes that are out of scope. */
  outOfScope: 'reported' | 'restored';
  /** Are the commands that a brief found run by the gate? */
  briefCommands: 'proposed' | 'trusted';
  /** Does a verdict of FAIL, or one that is owed and missing, in a stage that is done make the run fail? */
  badVerdicts: 'reported' | 'fail';
  /** How long the reset of a quota may be waited for; 0 is not at all. */
  waitForResetMs: number;
  /** `words`: what stopped it, where that was no signal. */
  stop: { signal: AbortSignal; by(): keyof typeof EXIT_BY_SIGNAL | null; words?(): string | null };
  /** Is a history that the service refuses mended? */
  repair: 'allowed' | 'off';
  /** While somebody else has the session open in its CLI. */
  whenOpen: 'wait' | 'fresh';
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  say(sentence: string): void;
  /** The call that is waited for; null when there is none. */
  watch(underway: Underway | null): void;
}
