// How long to wait before a retry.

/** An immutable schedule: each step knows its own delay and the next step. */
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

/** Exponential with full jitter: anything from nothing to the step's length, so that many callers do not return at once. */
export function exponential({ firstMs, factor, maxMs }: Growth): Schedule {
  return {
    delayMs: (random) => Math.floor(random() * Math.min(firstMs, maxMs)),
    next: () => exponential({ firstMs: Math.min(firstMs * factor, maxMs), factor, maxMs }),
  };
}

export const RETRY_GROWTH: Growth = { firstMs: 2000, factor: 2, maxMs: 60_000 };

/** A session that fails again and again is asked less and less often. */
export const SESSION_STEP_MS = 10_000;

interface WaitingPolicy {
  /** ISO time before which the service wants no call. */
  retryAt: string | null;
  /** How long the session that is asked is left alone. */
  sessionMs: number;
  /** Calls made so far in this stage and run, from 1. */
  attempt: number;
  now: Date;
  random: () => number;
}

/** Milliseconds: the longest of what the service asks for, the session's linear back-off and the exponential one. */
export function waitBefore({ retryAt, sessionMs, attempt, now, random }: WaitingPolicy): number {
  const asked = retryAt === null ? 0 : Date.parse(retryAt) - now.getTime();
  return Math.max(0, asked, sessionMs, stepOf(attempt).delayMs(random));
}

function stepOf(attempt: number): Schedule {
  let step = exponential(RETRY_GROWTH);
  // After this many the longest step is reached anyway.
  for (let i = 1; i < Math.min(attempt, 32); i++) step = step.next();
  return step;
}
