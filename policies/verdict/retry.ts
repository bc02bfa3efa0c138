// Defines the retry table, by class and by how often the signature occurred, and computes how long to wait before a retry.

import type { ErrorClass } from '../facts/classes.ts';

export interface RetryRow {
  /** On the first occurrence of a signature in a run. */
  first: 'retry' | 'retry_digest' | 'stop';
  /** On every further occurrence. */
  again: 'stop';
  /** What the report says when the dispatcher stops, beyond the class's own next step. */
  report: string;
}

export const RETRY_TABLE = {
  transient: { first: 'retry', again: 'stop', report: 'report' },
  prompt_too_large: { first: 'retry_digest', again: 'stop', report: 'suggest a task split' },
  auth: { first: 'stop', again: 'stop', report: 'stop at once' },
  quota: { first: 'stop', again: 'stop', report: 'stop with retry_at (or wait for it)' },
  tooling: { first: 'stop', again: 'stop', report: 'suggest preflight' },
  contract_violation: { first: 'stop', again: 'stop', report: 'name what is missing' },
  scope_violation: { first: 'stop', again: 'stop', report: 'name the paths' },
  unknown: { first: 'retry', again: 'stop', report: 'report' },
} as const satisfies Record<ErrorClass, RetryRow>;

/** An immutable schedule: each step has its own delay and the next step. */
interface Schedule {
  /** @param random yields numbers from 0 up to, but not including, 1. */
  delayMs(random: () => number): number;
  next(): Schedule;
}

interface Growth {
  firstMs: number;
  factor: number;
  maxMs: number;
}

/** Exponential with full jitter: the delay is between zero and the step's length, so that many callers do not return at once. */
export function exponential({ firstMs, factor, maxMs }: Growth): Schedule {
  return {
    delayMs: (random) => Math.floor(random() * Math.min(firstMs, maxMs)),
    next: () => exponential({ firstMs: Math.min(firstMs * factor, maxMs), factor, maxMs }),
  };
}

export const RETRY_GROWTH: Growth = { firstMs: 2000, factor: 2, maxMs: 60_000 };

/** A session that fails repeatedly is called less and less often. */
export const SESSION_STEP_MS = 10_000;

interface WaitingPolicy {
  /** ISO time before which the service accepts no call. */
  retryAt: string | null;
  /** How long the session is not called. */
  sessionMs: number;
  /** Calls made so far in this stage and run, from 1. */
  attempt: number;
  now: Date;
  random: () => number;
}

/** Milliseconds: the longest of the wait that the service demands, the session's linear back-off and the exponential one. */
export function waitBefore({ retryAt, sessionMs, attempt, now, random }: WaitingPolicy): number {
  const requestedMs = retryAt === null ? 0 : Date.parse(retryAt) - now.getTime();
  return Math.max(0, requestedMs, sessionMs, stepOf(attempt).delayMs(random));
}

function stepOf(attempt: number): Schedule {
  let step = exponential(RETRY_GROWTH);
  // The longest step is reached before this many steps.
  for (let i = 1; i < Math.min(attempt, 32); i++) step = step.next();
  return step;
}
