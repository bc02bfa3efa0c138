// Decides whether a session is resumed, whether a failure counts against it, and how long it rests.

import type { ErrorClass } from '../facts/classes.ts';
import type { Verdict } from '../facts/evidence.ts';
import { SESSION_STEP_MS } from '../verdict/retry.ts';
import type { SessionEntry } from './session-entry.ts';

/** Consecutive failures. */
const MAX_SESSION_ERRORS = 3;

/** Prompt plus output of the last model request. */
export const CONTEXT_LIMIT_TOKENS = 350_000;

/** Whether a failure of this class counts against the session in which it happened. */
export const AGAINST_SESSION = {
  transient: { counts: true, why: 'a long history makes timeouts and cut answers more likely' },
  prompt_too_large: { counts: true, why: 'its history may be what is too large' },
  unknown: { counts: true, why: 'the session may be the cause' },
  auth: { counts: false, why: 'no session is signed in' },
  quota: { counts: false, why: 'the limit is that of the account' },
  tooling: { counts: false, why: 'the machine is not set up' },
  scope_violation: { counts: false, why: 'the answer is judged, not the session' },
  contract_violation: { counts: false, why: 'the answer is judged, not the session' },
} as const satisfies Record<ErrorClass, { counts: boolean; why: string }>;

/** Reasons that override their class. */
const BY_REASON: Record<string, { counts: boolean; why: string }> = {
  broken_history: { counts: true, why: 'it is the session that is broken' },
  cancelled: { counts: false, why: 'it was stopped on request' },
};

export function countsAgainst({ class: errorClass, reason }: Verdict): boolean {
  if (errorClass === null) return false;
  const row = reason !== null && Object.hasOwn(BY_REASON, reason) ? BY_REASON[reason] : undefined;
  return (row ?? AGAINST_SESSION[errorClass]).counts;
}

type Fitness =
  | { how: 'ready' }
  /** `why` is part of a sentence. */
  | { how: 'refused'; because: 'poisoned' | 'errors' | 'context'; why: string };

/** Decides whether the session may be resumed. @param limit in tokens. */
export function fitnessOf({ poisoned, error_count, context_tokens }: SessionEntry, limit: number): Fitness {
  if (poisoned !== undefined) return { how: 'refused', because: 'poisoned', why: poisoned };
  if (error_count >= MAX_SESSION_ERRORS)
    return { how: 'refused', because: 'errors', why: `it failed ${error_count} times in a row` };
  if (context_tokens !== null && context_tokens > limit)
    return { how: 'refused', because: 'context', why: `its context has ${context_tokens} tokens, over ${limit}` };
  return { how: 'ready' };
}

/** What one call adds to the record of its session. */
interface UsedSession {
  at: Date;
  context_tokens: number | null;
  total_tokens: number;
}

/** @param failed null after a success, which resets the error count. */
export function afterCall(entry: SessionEntry, failed: Verdict | null, { at, ...tokens }: UsedSession): SessionEntry {
  const error_count = failed === null ? 0 : entry.error_count + (countsAgainst(failed) ? 1 : 0);
  return { ...entry, ...tokens, last_used: at.toISOString(), error_count };
}

/** How many milliseconds the session must rest, since its last call. A clock that was set back adds nothing. */
export function restMs({ error_count, last_used }: SessionEntry, now: Date, stepMs: number = SESSION_STEP_MS): number {
  const whole = error_count * stepMs;
  const gone = now.getTime() - Date.parse(last_used);
  return Math.min(whole, Math.max(0, whole - gone));
}
