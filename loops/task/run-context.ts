// Holds the context of a run: working folder, clock, listeners and stop signal. It is passed on unchanged.

import type { Underway } from './last-event.ts';
import type { RunOptions } from './run-options.ts';
import type { Slots } from './slots.ts';
import type { UnseenCalls } from './unseen-calls.ts';

/** Where and for whom a run works. `clock` returns the time of day, `random` a number from 0 to below 1. */
export interface RunContext {
  cwd: string;
  /** In a stage: the variables that its task lets the CLI see. */
  environment: NodeJS.ProcessEnv;
  /** The folder of the built commands, which contains the wrappers. */
  commandFolder: string;
  /** Where calls wait for a slot; if absent, no call waits. */
  slots?: Slots;
  /** Collects ended calls to examine them together; if absent, each is examined when it ends. */
  unseenCalls?: UnseenCalls;
  /** Aborted when a stop is requested, with a StopSignal or a sentence as the reason: no more calls, no more waits. */
  stop: AbortSignal;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  say(sentence: string): void;
  /** Who sends the notification about the end of a run: each run, or the batch for all of them at once. */
  tells?: 'of_each' | 'of_all';
  /** The call that the run waits for; null when there is none. */
  watch(underway: Underway | null): void;
}

/** What a command passes down to each call of a run. */
export interface RunSettings {
  options: RunOptions;
  context: RunContext;
}
