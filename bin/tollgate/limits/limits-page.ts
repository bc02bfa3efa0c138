// Renders the limits over all tasks for `tollgate budget`: what is used of each, what runs now, what is on hold.

import { amount, type BudgetUsed, budgetsUsed, standingWords } from '../../../policies/limits/budget-use.ts';
import { type Hold, holdWords } from '../../../policies/limits/holds.ts';
import type { LimitsLedger } from '../../../policies/limits/ledger.ts';
import { isLimited, type LimitsInForce } from '../../../policies/limits/limits.ts';

interface PaceRow {
  /** The CLI that it limits; `any`: all CLIs together. */
  tool: string;
  most: number;
  /** The root of the project that limits itself; null for the user's own limits. */
  project: string | null;
}

/** What `--json` prints. */
interface LimitsObject {
  schema: 1;
  budgets: (Omit<BudgetUsed, 'from' | 'until' | 'counted_since'> & {
    left: number;
    from: string;
    until: string;
    /** null if the whole period is counted. */
    counted_since: string | null;
  })[];
  at_once: PaceRow[];
  per_minute: PaceRow[];
  /** Calls that run now, and that a limit counts. */
  open: { call_id: string; tool: string; pid: number; since: string }[];
  holds: {
    tool: string;
    account: string;
    model: string | null;
    reason: string;
    since: string;
    until: string | null;
  }[];
}

interface Shown {
  inForce: readonly LimitsInForce[];
  ledger: LimitsLedger;
  holds: readonly Hold[];
  now: Date;
}

export function limitsObject({ inForce, ledger, holds, now }: Shown): LimitsObject {
  return {
    schema: 1,
    budgets: budgetsUsed(inForce, ledger, now).map((row) => ({
      ...row,
      left: Math.max(0, row.most - row.used),
      from: row.from.toISOString(),
      until: row.until.toISOString(),
      counted_since: row.counted_since?.toISOString() ?? null,
    })),
    at_once: paceRows(inForce, 'at_once'),
    per_minute: paceRows(inForce, 'per_minute'),
    open: ledger.open
      .filter(({ lost }) => lost !== true)
      .map(({ call_id, tool, owner, at }) => ({ call_id, tool, pid: owner.pid, since: new Date(at).toISOString() })),
    holds: holds.map(({ tool, account, model, reason, seen_at, until }) => ({
      tool,
      account,
      model,
      reason,
      since: new Date(seen_at).toISOString(),
      until: until === null ? null : new Date(until).toISOString(),
    })),
  };
}

const paceRows = (inForce: readonly LimitsInForce[], name: 'at_once' | 'per_minute'): PaceRow[] =>
  inForce.flatMap(({ limits, project }) =>
    Object.entries(limits[name]).map(([tool, most]) => ({ tool, most, project })),
  );

export function limitsPage(shown: Shown): string {
  const { inForce, ledger, holds, now } = shown;
  const { at_once, per_minute, open } = limitsObject(shown);
  const pace = ({ tool, most, project }: PaceRow, what: string) =>
    `${most} calls ${what}${tool === 'any' ? '' : ` of ${tool}`}${project === null ? '' : ' of this project'}`;
  const lines = [
    ...(inForce.some(({ limits }) => isLimited(limits)) ? [] : ['No limit over all tasks; see tollgate budget --help']),
    ...budgetsUsed(inForce, ledger, now).map(
      (row) => `${standingWords(row)}, ${leftWords(row)} left${unknownWords(row)}${countedWords(row)}`,
    ),
    ...at_once.map((row) => pace(row, 'at once')),
    ...per_minute.map((row) => pace(row, 'a minute')),
    ...(open.length === 0 ? [] : ['Calls that are made now:', ...open.map(openWords)]),
    ...holds.map(holdWords),
  ];
  return `${lines.join('\n')}\n`;
}

const leftWords = ({ most, used, unit }: BudgetUsed): string => amount(Math.max(0, most - used), unit);

const unknownWords = ({ unknown_calls: n, unit }: BudgetUsed): string =>
  n === 0 ? '' : `; ${amount(n, 'calls')} more with unknown ${unit === 'usd' ? 'price' : 'tokens'}`;

const countedWords = ({ counted_since: since }: BudgetUsed): string =>
  since === null ? '' : `; calls before ${since.toISOString()} are not all counted, since no limit was set`;

const openWords = ({ call_id, tool, pid, since }: LimitsObject['open'][number]): string =>
  `  ${tool} ${call_id} (pid ${pid}) since ${since}`;
