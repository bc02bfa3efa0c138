// What is to be made of a session: whether it is gone on with, what a failure says against it, and how long it is left alone.

import type { ErrorClass } from '../facts/classes.ts';
import type { Verdict } from '../facts/evidence.ts';
import { SESSION_STEP_MS } from '../retry/backoff.ts';
import type { SessionEntry } from './session-entry.ts';

/** In a row. */
const MAX_SESSION_ERRORS = 3;

/** Prompt plus output of the last model request. */
export const CONTEXT_LIMIT_TOKENS = 350_000;

/** Does a failure of this class say anything against the session that it happened in? */
export const AGAINST_SESSION = {
  transient: { counts: true, why: 'a long history makes timeouts and cut answers more likely' },
  prompt_too_large: { counts: true, why: 'its history may be what is too large' },
  unknown: { counts: true, why: 'nobody knows that it is not the session' },
  auth: { counts: false, why: 'no session is signed in' },
  quota: { counts: false, why: 'the limit is that of the account' },
  tooling: { counts: false, why: 'the machine is not set up' },
  scope_violation: { counts: false, why: 'the answer is judged, not the session' },
  contract_violation: { counts: false, why: 'the answer is judged, not the session' },
} as const satisfies Record<ErrorClass, { counts: boolean; why: string }>;

/** Reasons that say something else than their class. */
const BY_REASON: Record<string, { counts: boolean; why: string }> = {
  broken_history: { counts: true, why: 'it is the session that is broken' },
  cancelled: { counts: false, why: 'somebody stopped it' },
};

export function countsAgainst({ class: errorClass, reason }: Verdict): boolean {
  if (errorClass === null) return false;
  const row = reason !== null && Object.hasOwn(BY_REASON, reason) ? BY_REASON[reason] : undefined;
  return (row ?? AGAINST_SESSION[errorClass]).counts;
}

type Fitness =
  | { how: 'fit' }
  /** `why` is a half sentence. */
  | { how: 'unfit'; because: 'poisoned' | 'errors' | 'context'; why: string };

/** Is it gone on with? @param limit in tokens. */
export function fitnessOf(
  { poisoned, error_count, context_tokens }: Pick<SessionEntry, 'poisoned' | 'error_count' | 'context_tokens'>,
  limit: number,
): Fitness {
  if (poisoned !== undefined) return { how: 'unfit', because: 'poisoned', why: poisoned };
  if (error_count >= MAX_SESSION_ERRORS)
    return { how: 'unfit', because: 'errors', why: `it failed ${error_count} times in a row` };
  if (context_tokens !== null && context_tokens > limit)
    return { how: 'unfit', because: 'context', why: `its context has ${context_tokens} tokens, over ${limit}` };
  return { how: 'fit' };
}

/** What one call adds to what is known of its session. */
interface UsedSession {
  at: Date;
  context_tokens: number | null;
  total_tokens: number;
}

/** null: nothing of a success stands against it. */
export function afterCall(entry: SessionEntry, failed: Verdict | null, { at, ...tokens }: UsedSession): SessionEntry {
  const error_count = failed === null ? 0 : entry.error_count + (countsAgainst(failed) ? 1 : 0);
  return { ...entry, ...tokens, last_used: at.toISOString(), error_count };
}

/** Milliseconds that it is still left alone, counted from its last call's end; a clock that was set back lengthens nothing. */
export function restMs({ error_count, last_used }: SessionEntry, now: Date, stepMs: number = SESSION_STEP_MS): number {
  const whole = error_count * stepMs;
  const gone = now.getTime() - Date.parse(last_used);
  return Math.min(whole, Math.max(0, whole - gone));
}
