// Holds: what one call learnt of a service's limit, which keeps later calls of that tool, account and model from paying to learn it again.

import type { Verdict } from '../facts/evidence.ts';
import type { ProcessIdentity } from '../facts/process-identity.ts';

export interface Hold {
  tool: string;
  account: string;
  /** As it was asked for; null for the tool's own choice, `*` for any. */
  model: string | null;
  reason: string;
  /** Milliseconds since 1970; null where the service gave no time. */
  until: number | null;
  seen_at: number;
  /** The call that is let through to find out, where no time was given. */
  probe: { call_id: string; owner: ProcessIdentity } | null;
}

export type HeldCall = Pick<Hold, 'tool' | 'account' | 'model'>;

/** What later calls would meet as well; null for what became of this one alone, and for what no time mends. */
export function holdAfter(call: HeldCall, { class: errorClass, reason, retry_at }: Verdict, now: Date): Hold | null {
  const isLimit =
    errorClass === 'quota' ? !OTHERS.has(reason ?? '') : errorClass === 'transient' && reason === 'rate_limit';
  if (!isLimit) return null;
  const told = retry_at === null ? null : Date.parse(retry_at);
  const until = told !== null && told - now.getTime() > LONGEST_MS ? null : told;
  // Of the minute there is nothing to find out: it is over by the time that one has asked.
  if (until === null && errorClass !== 'quota') return null;
  if (until !== null && !(until > now.getTime())) return null;
  // Too many requests are those of an account; a quota is counted by model.
  const model = errorClass === 'quota' ? call.model : '*';
  return { ...call, model, reason: reason ?? errorClass!, until, seen_at: now.getTime(), probe: null };
}

/** No plan has a longer period: what is told beyond it is no time. */
const LONGEST_MS = 32 * 86_400_000;

/** So long it stands where no time was given: the limit may be reset by then. */
const UNTOLD_MS = 3_600_000;

/** Our own limits, and what only money mends. */
const OTHERS: ReadonlySet<string> = new Set(['budget', 'paused', 'own_limit', 'held', 'balance', 'billing']);

export const holdsUp = (hold: HeldCall, call: HeldCall): boolean =>
  hold.tool === call.tool && hold.account === call.account && (hold.model === '*' || hold.model === call.model);

/** Told of the same, so that the newer one counts. */
export const isOfSame = (one: HeldCall, other: HeldCall): boolean =>
  one.tool === other.tool && one.account === other.account && one.model === other.model;

/** Where the clock was set back, a time counts only for as long as it was away when it was told. */
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
