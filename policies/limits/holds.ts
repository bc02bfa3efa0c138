// Keeps holds: a service's limit that one call met, so that later calls for the same account and model do not pay for it too.

import type { Verdict } from '../facts/evidence.ts';
import type { ProcessIdentity } from '../facts/process-identity.ts';

export interface Hold {
  tool: string;
  account: string;
  /** The requested model; null for the tool's default, `*` for any. */
  model: string | null;
  reason: string;
  /** Milliseconds since 1970; null if the service gave no time. */
  until: number | null;
  seen_at: number;
  /** The call that may test the limit, if no time was given. */
  probe: { call_id: string; owner: ProcessIdentity } | null;
}

export type HeldCall = { tool: string; account: string; model: string | null };

/** The hold for a limit that later calls would meet too; null if only this call met it, or time resolves nothing. */
export function holdAfter(call: HeldCall, { class: errorClass, reason, retry_at }: Verdict, now: Date): Hold | null {
  const isLimit =
    errorClass === 'quota' ? !OTHERS.has(reason ?? '') : errorClass === 'transient' && reason === 'rate_limit';
  if (!isLimit) return null;
  const reportedUntil = retry_at === null ? null : Date.parse(retry_at);
  const until = reportedUntil !== null && reportedUntil - now.getTime() > LONGEST_MS ? null : reportedUntil;
  // A limit per minute need not be tested: it is over before a test call would end.
  if (until === null && errorClass !== 'quota') return null;
  if (until !== null && !(until > now.getTime())) return null;
  // "Too many requests" applies to an account; a quota is counted by model.
  const model = errorClass === 'quota' ? call.model : '*';
  return { ...call, model, reason: reason ?? errorClass!, until, seen_at: now.getTime(), probe: null };
}

/** No plan has a longer period, so a time beyond it is invalid. */
const LONGEST_MS = 32 * 86_400_000;

/** How long a hold without a time applies: the limit may be reset by then. */
const UNTOLD_MS = 3_600_000;

/** Our own limits, and those that only a payment resolves. */
const OTHERS: ReadonlySet<string> = new Set(['budget', 'paused', 'own_limit', 'held', 'balance', 'billing']);

export const holdsUp = (hold: HeldCall, call: HeldCall): boolean =>
  hold.tool === call.tool && hold.account === call.account && (hold.model === '*' || hold.model === call.model);

/** Whether two holds are about the same thing, so that the newer one counts. */
export const isOfSame = (one: HeldCall, other: HeldCall): boolean =>
  one.tool === other.tool && one.account === other.account && one.model === other.model;

/** If the clock was set back, a hold applies only for as long as it did when it was recorded. */
export function standsAt({ until, seen_at }: Hold, nowMs: number): boolean {
  const longMs = until === null ? UNTOLD_MS : until - seen_at;
  return longMs <= LONGEST_MS && seen_at + longMs > nowMs && nowMs >= seen_at - longMs;
}

export function holdWords({ tool, account, model, reason, until, seen_at }: Hold): string {
  const what = `${tool}${model === null || model === '*' ? '' : ` with ${model}`} (${account})`;
  const when =
    until === null
      ? 'no time was given; one call is let through to find out'
      : `until ${new Date(until).toISOString()}`;
  return `${what} is held since ${new Date(seen_at).toISOString()} (${reason}), ${when}`;
}
