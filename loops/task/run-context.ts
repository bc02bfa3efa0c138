// The context of a run: its working folder, its clock, who hears of it, and what stops it; handed on as it is.

import type { Underway } from './last-event.ts';
import type { RunOptions } from './run-options.ts';
import type { Slots } from './slots.ts';
import type { UnseenCalls } from './unseen-calls.ts';

/** Where and for whom a run is. `clock` tells the time of day, `random` a number from 0 to below 1. */
export interface RunContext {
  cwd: string;
  /** Of a stage: what its task lets the CLI see. */
  environment: NodeJS.ProcessEnv;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  /** Where calls wait for a place; without it none waits. */
  slots?: Slots;
  /** Where calls that are over are looked at together; without it each as it ends. */
  unseenCalls?: UnseenCalls;
  /** Aborted when the run is told to stop, with a StopSignal or a sentence: no more calls, no more waiting. */
  stop: AbortSignal;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  say(sentence: string): void;
  /** Whoever is told of the end of a run: in a batch it tells of all of them at once. */
  tells?: 'of_each' | 'of_all';
  /** The call that is waited for; null when there is none. */
  watch(underway: Underway | null): void;
}

/** What is handed from the command down to each call of a run. */
export interface RunSettings {
  options: RunOptions;
  context: RunContext;
}
