// Defines what is known about one finished call: how it ended, what it reported, and whether it succeeded.

import type { ErrorClass, OwnReason } from './classes.ts';
import type { EngineFailure } from './engine-event.ts';
import type { Tool } from './tools.ts';

export interface Evidence {
  tool: Tool;
  ending: Ending;
  /** It was ended before it had written a single byte. */
  silent?: boolean;
  /** The CLI's own exit code and signal: recorded, but the least reliable evidence. */
  exitCode: number | null;
  signal: string | null;
  /** The CLI's terminal event reported success. */
  completed: boolean;
  /** Visible characters of the assistant's text after the last tool result. */
  answerChars: number;
  /** The terminal failure event. */
  failure: EngineFailure | null;
  /** Error events that were not terminal, oldest first. */
  errors: EngineFailure[];
  /** The cause of the last retry that the CLI announced. */
  retried: EngineFailure | null;
  /** The engine's own lines of stderr, without prompt, tools or answer; else those of a failed call's stdout. */
  stderr: string[];
  /** Its notices, and its messages about retries: they count if there is nothing better. */
  remarks: string[];
  /** Why the CLI was never started, in our own words. */
  obstacle: Obstacle | null;
  /** Why the call was ended at a cap, in our own words; absent if it was not. */
  overCap?: string;
  /** Model tokens that the CLI counted; 0 with an empty answer means that no model was called. */
  tokens: number | null;
}

export interface Obstacle {
  class: ErrorClass;
  reason: OwnReason;
  message: string;
  limit?: PassedLimit;
}

/** Where the deciding text was found. */
export type EvidenceSource = 'terminal' | 'ending' | 'failure' | 'error' | 'stderr' | 'exit_code' | 'gate' | 'none';

export interface Verdict {
  /** null = success. */
  class: ErrorClass | null;
  reason: string | null;
  evidence: { source: EvidenceSource; text: string; rule: string; limit?: PassedLimit } | null;
  /** ISO time from which the service allows the call again. */
  retry_at: string | null;
}

/** The limit of the user that ended or refused a call; absent for another cause, and in records of older versions. */
export interface PassedLimit {
  name: LimitName;
  value: number;
  /** For a budget over all tasks. */
  per?: 'day' | 'week' | 'month';
  unit: 'ms' | 'turns' | 'bytes' | 'characters' | 'calls' | 'tokens' | 'usd' | 'iterations';
}

/** `rest_of`: the call itself used what remained of it. */
export type LimitName =
  | 'timeout'
  | 'idle_timeout'
  | 'start_timeout'
  | 'turns'
  | 'output'
  | 'prompt'
  | 'call_budget'
  | 'task_budget'
  | 'rest_of_task_budget'
  | 'task_time'
  | 'rest_of_task_time'
  | 'nested_calls'
  | 'iterations'
  | 'user_budget'
  | 'rest_of_user_budget'
  | 'at_once';

/** How a call can end. Each call has one ending; the first cause wins. */
export const ENDINGS = {
  exited: 'the CLI ended by itself',
  signalled: 'a signal that was not ours ended the CLI',
  timed_out: 'the wall deadline passed',
  idle: 'no byte of output for the idle limit',
  max_turns: 'the limit of turns was reached',
  over_cap: 'the call used all the tokens or dollars that it may use',
  overflowed: 'the output grew over its limit',
  retry_cut: 'the CLI announced a retry of its own, which would be paid again',
  requirement_unmet: 'the call lacked what it must have (a server, a permission, a sign-in), and was ended',
  lingered: 'the CLI reported its result but did not exit',
  cancelled: 'the wrapper was stopped',
  lost: 'no process saw how the CLI ended',
  not_started: 'the CLI was never started',
} as const;

export type Ending = keyof typeof ENDINGS;

/** For these endings the wrapper itself ends the CLI, so its code and its signal say nothing about the cause. */
export const ENDED_BY_US: ReadonlySet<string> = new Set<Ending>([
  'timed_out',
  'idle',
  'max_turns',
  'over_cap',
  'overflowed',
  'retry_cut',
  'requirement_unmet',
  'lingered',
  'cancelled',
]);

/** The one verdict that needs no rules. */
export const SUCCESS: Verdict = { class: null, reason: null, evidence: null, retry_at: null };

/** A complete answer remains one, whatever came after it: a signal, a lingering process, a non-zero exit. */
export const isSuccess = ({ completed, answerChars }: { completed: boolean; answerChars: number }): boolean =>
  completed && answerChars > 0;

/** White space and zero-width characters are not an answer. */
export function visibleChars(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (!isInvisible(text.charCodeAt(at))) count += 1;
  return count;
}

function isInvisible(code: number): boolean {
  if (code < 128) return code === 32 || (code > 8 && code < 14);
  if (code < 0x2000) return code === 0xa0 || code === 0x1680;
  return code < 0x2010 || INVISIBLE.has(code);
}

const INVISIBLE: ReadonlySet<number> = new Set([0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff]);
