// Defines the request and the context of a run: working folder, clock, listeners, slots and stop signal, passed on unchanged.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { CallEntry, RegisteredWatch } from '../../state/calls/judge-register.ts';
import type { Underway } from './last-event.ts';
import type { RunOptions } from './run-options.ts';

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
  /** @param what `step`: a call or stage begins or ends, as in `watch`. `once`: a terminal shows equal ones once. */
  say(sentence: string, what?: 'step' | 'once'): void;
  /** Who sends the notification about the end of a run: each run, or the batch for all of them at once. */
  tells?: 'of_each' | 'of_all';
  /** The call that the run waits for; null when there is none. */
  watch(underway: Underway | null): void;
  /** A stage that this run is done with. */
  ended?(stage: FinishedStage): void;
}

export interface FinishedStage {
  stage: string;
  tool: Tool | null;
  state: string;
  /** Paid calls of this run. */
  calls: number;
  duration_ms: number | null;
  tokens: number | null;
  class: string | null;
  reason: string | null;
}

/** What a command passes down to each call of a run. */
export interface RunSettings {
  options: RunOptions;
  context: RunContext;
}

/** A call that is over, but for which the other tasks must still be checked for changes. */
export interface UnseenCall extends RegisteredWatch {
  /** When the call was over, ISO; null if it is not known. */
  to: string | null;
  /** The same by the clock of the disk, in nanoseconds since 1970; null for now. */
  toNs: bigint | null;
}

/** The other tasks at the start of a call. */
export type OtherTasks = Required<Pick<CallEntry, 'tasks' | 'names'>>;

/** Collects calls, to check the other tasks once for all of them. */
export interface UnseenCalls {
  /** The state that a new call is compared with; one look may serve calls that begin within moments of each other. */
  others(stateFolder: string): OtherTasks;
  /** Takes over the entry of the call. @returns a sentence for its record, if it was examined and had changes. */
  add(register: string, ended: UnseenCall): string[];
}

/** The tool and model of the call; a service counts its quota by both. */
export interface SlotRequest {
  tool: Tool;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  /** null for the tool's own choice. */
  model: string | null;
  /** The call, for a ledger that all machines of a fleet share. */
  call?: { id: string; stage: string; prompt: string; attempt: number };
}

/** The result of the wait for a slot. */
export type CallSlot =
  /** Must be released with the verdict of the call; null if it was not made. */
  | {
      how: 'taken';
      release(verdict: Verdict | null): void | Promise<void>;
      /** The file of the worker's lease in a fleet: the guardian ends its call when the lease is over. */
      lease?: string;
    }
  | { how: 'stopped' }
  /** Another call was refused for its quota or its sign-in, as this one would be. `until`: ISO time, null if unknown. */
  | { how: 'paused'; class: 'quota' | 'auth'; until: string | null; message: string; limit?: SharedLimit };

/** A limit of all workers of a fleet; `actions` replace those of the reason. */
interface SharedLimit {
  reason: 'budget' | 'own_limit' | 'held';
  actions: NextAction[] | null;
}

/** The slots of a batch; `take` waits for one, and returns when `stop` aborts. */
export interface Slots {
  take(request: SlotRequest, stop: AbortSignal): Promise<CallSlot>;
}

/** For a single run: every call may be made at once. */
export const UNLIMITED: Slots = { take: async () => ({ how: 'taken', release: () => {} }) };

/** A run as a command requests it. */
export interface RunRequest extends RunSettings {
  /** The task: an id, or a path. */
  word: string;
}
