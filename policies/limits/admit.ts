// Decides whether a call may begin now, must wait or is refused, by the limits in force and what was used of them.

import type { PassedLimit } from '../facts/evidence.ts';
import { type BudgetUsed, budgetsUsed, reached, standingWords } from './budget-use.ts';
import { charged, type LimitsLedger, type NearRow, noted, type OpenCall } from './ledger.ts';
import type { LimitsInForce } from './limits.ts';

type Admitted =
  /** `near`: budgets of which this call uses up the fourth fifth, as sentences. */
  | { how: 'admitted'; ledger: LimitsLedger; near: string[] }
  | { how: 'refused'; why: string; retryAt: Date; file: string; limit: PassedLimit }
  /** `untilMs`: the clock time for the next check at the latest; null if a call must end first. */
  | { how: 'wait'; why: string; untilMs: number | null; limit?: PassedLimit };

/** This function is pure. Nothing is charged until the returned ledger is written. */
export function admit(inForce: readonly LimitsInForce[], ledger: LimitsLedger, call: OpenCall): Admitted {
  const now = new Date(call.at);
  const before = budgetsUsed(inForce, ledger, now, call.tool);
  // The budget that is reset last, because the call would be refused until then.
  const full = before.filter(({ used, most }) => used >= most).sort((a, b) => b.until.getTime() - a.until.getTime())[0];
  if (full !== undefined)
    return {
      ...{ how: 'refused', why: `used up: ${standingWords(full)}`, retryAt: full.until, file: full.file },
      limit: { name: 'user_budget', value: full.most, unit: full.unit, per: full.per },
    };
  const wait = inForce.flatMap((one) => [...atOnce(one, ledger, call), ...perMinute(one, ledger, call)])[0];
  if (wait !== undefined) return { how: 'wait', ...wait };
  const after = charged(ledger, call);
  const near = nearRows(reached(before, budgetsUsed(inForce, after, now, call.tool)), call.call_id, now);
  return { how: 'admitted', ledger: noted(after, near), near: near.map(({ words }) => words) };
}

/** What the warnings report, once for each time a budget is nearly used up. */
export const nearRows = (crossed: readonly BudgetUsed[], callId: string, now: Date): NearRow[] =>
  crossed.map((budget) => ({
    at: now.getTime(),
    call_id: callId,
    project: budget.project,
    words: `four fifths of a limit over all tasks are used: ${standingWords(budget)}`,
  }));

interface Wait {
  why: string;
  untilMs: number | null;
  limit?: PassedLimit;
}

/** Whether the calls count together: by tool and account, or all. A project's limits count only its calls. */
const beside = (call: OpenCall, name: string, project: string | null) => (other: OtherCall) =>
  (name === 'any' || (other.tool === call.tool && other.account === call.account)) &&
  (project === null || other.project === project);

type OtherCall = { tool: string; account: string; project: string };

const rowsFor = (limits: Readonly<Record<string, number>>, tool: string): [name: string, most: number][] =>
  Object.entries(limits).filter(([name]) => name === 'any' || name === tool);

function atOnce({ limits, project }: LimitsInForce, { open }: LimitsLedger, call: OpenCall): Wait[] {
  return rowsFor(limits.at_once, call.tool).flatMap(([name, most]) => {
    const others = open.filter((other) => other.lost !== true).filter(beside(call, name, project));
    if (others.length < most) return [];
    const which = others.slice(0, 3).map(({ call_id, owner }) => `${call_id} (pid ${owner.pid})`);
    const why = `for one of ${others.length} calls to end, since ${most} of ${named(name)} are made at once: ${which.join(', ')}`;
    return [{ why, untilMs: null, limit: { name: 'at_once', value: most, unit: 'calls' } }];
  });
}

function perMinute({ limits, project }: LimitsInForce, { begun }: LimitsLedger, call: OpenCall): Wait[] {
  return rowsFor(limits.per_minute, call.tool).flatMap(([name, most]) => {
    const times = begun
      .filter(beside(call, name, project))
      .map(({ at }) => at)
      .sort((a, b) => a - b);
    if (times.length < most) return [];
    const untilMs = times[times.length - most]! + 60_000;
    const why = `until ${new Date(untilMs).toISOString()}, since ${most} of ${named(name)} begin in a minute`;
    return [{ why, untilMs }];
  });
}

const named = (name: string): string => (name === 'any' ? 'all tools' : name);
