// Computes how much of each budget is used in the current day, week or month.

import { instantOf, type WallTime, wallTimeOf } from '../facts/clock.ts';
import { countedSince, type LimitsLedger, QUARTER_MS } from './ledger.ts';
import { type BudgetRow, type LimitsInForce, type Period, UNITS, type Unit } from './limits.ts';

/** One limit of one budget, with the amount that is used. */
export interface BudgetUsed {
  tool: BudgetRow['tool'];
  per: BudgetRow['per'];
  unit: Unit;
  most: number;
  used: number;
  /** Calls of unknown use, which comes on top. */
  unknown_calls: number;
  from: Date;
  until: Date;
  time_zone: string;
  /** Since when all calls are counted; null if that is the whole period. */
  counted_since: Date | null;
  project: string | null;
  /** The file that sets it. */
  file: string;
}

export interface PaceRow {
  /** The CLI that it limits; `any`: all CLIs together. */
  tool: string;
  most: number;
  /** The root of the project that limits itself; null for the user's own limits. */
  project: string | null;
}

/** What `tollgate budget --json` prints. */
export interface LimitsReport {
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

/** @param tool only budgets to which its calls are charged; `any`: all budgets. */
export function budgetsUsed(
  inForce: readonly LimitsInForce[],
  ledger: LimitsLedger,
  now: Date,
  tool: string = 'any',
): BudgetUsed[] {
  return inForce.flatMap(({ limits, project, file }) =>
    limits.budgets
      .filter((row) => tool === 'any' || row.tool === 'any' || row.tool === tool)
      .flatMap((row) => {
        const span = periodAt(row.per, now, limits.time_zone);
        const since = countedSince(ledger, project, now.getTime());
        const counted_since = since > span.from.getTime() ? new Date(since) : null;
        return UNITS.flatMap((unit) => {
          const most = row[unit];
          if (most === undefined) return [];
          const rows = countedRows(ledger, { tool: row.tool, project, ...span });
          const used = sumOf(rows, unit);
          const unknown_calls = unit === 'calls' ? 0 : sumOf(rows, `calls_without_${unit}`);
          const { time_zone } = limits;
          return [
            {
              tool: row.tool,
              per: row.per,
              unit,
              most,
              used,
              unknown_calls,
              ...span,
              time_zone,
              counted_since,
              project,
              file,
            },
          ];
        });
      }),
  );
}

interface Counted {
  tool: string;
  project: string | null;
  from: Date;
  until: Date;
}

const countedRows = ({ spent }: LimitsLedger, { tool, project, from, until }: Counted): LimitsLedger['spent'] => {
  const isSince = (at: number) => at + QUARTER_MS > from.getTime();
  return spent.filter(
    ({ at, dated, ...row }) =>
      (isSince(at) || (dated !== undefined && isSince(dated) && dated < until.getTime())) &&
      (tool === 'any' || row.tool === tool) &&
      (project === null || row.project === project),
  );
};

const sumOf = (rows: LimitsLedger['spent'], field: Unit | 'calls_without_tokens' | 'calls_without_usd'): number =>
  rows.reduce((total, row) => total + (row[field] ?? 0), 0);

const SHARE = 0.8;

/** Returns the budgets that reached four fifths between these two states. */
export const reached = (before: readonly BudgetUsed[], after: readonly BudgetUsed[]): BudgetUsed[] =>
  after.filter(({ used, most }, i) => used >= most * SHARE && before[i]!.used < most * SHARE);

export const amount = (count: number, unit: Unit): string =>
  unit === 'usd' ? `$${Number(count.toFixed(4))}` : `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;

/** `7 of 100 calls a day of codex`. */
function useWords({ used, most, unit, per, tool, project }: BudgetUsed): string {
  const whose = `${tool === 'any' ? '' : ` of ${tool}`}${project === null ? '' : ' of this project'}`;
  const spent = unit === 'usd' ? amount(used, unit) : used;
  return `${spent} of ${amount(most, unit)} a ${per}${whose}`;
}

/** `7 of 100 calls a day of codex, since FROM, until UNTIL`. */
export const standingWords = (row: BudgetUsed): string =>
  `${useWords(row)}, since ${row.from.toISOString()}, until ${row.until.toISOString()}`;

/** `from` is part of the period; `until` is the first instant of the next one. */
interface PeriodSpan {
  from: Date;
  until: Date;
}

export function periodAt(per: Period, now: Date, zone: string): PeriodSpan {
  // This avoids Intl for UTC, which takes 15 ms to load.
  const place = zone === 'UTC' ? '+00:00' : zone;
  const { year, month, day } = wallTimeOf(now, place);
  const first = FIRST[per](year, month, day);
  const midnight = (ahead: number): Date => {
    const [y, m, d] = per === 'month' ? [year, month + ahead, 1] : [year, month, first + ahead * DAYS[per]];
    return firstInstant({ year: y!, month: m!, day: d!, hour: 0, minute: 0, second: 0 }, place);
  };
  return { from: midnight(0), until: midnight(1) };
}

/** The day of the month on which the period begins; a week may begin in the month before. */
const FIRST: Record<Period, (year: number, month: number, day: number) => number> = {
  day: (_year, _month, day) => day,
  // Monday.
  week: (year, month, day) => day - ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7),
  month: () => 1,
};

const DAYS = { day: 1, week: 7 } as const;

/** If clocks are put forward at midnight, the day begins later. */
function firstInstant(midnight: WallTime, zone: string): Date {
  const instant = instantOf(midnight, zone);
  const shown = wallTimeOf(instant, zone);
  const expected = new Date(Date.UTC(midnight.year, midnight.month - 1, midnight.day));
  if (shown.day === expected.getUTCDate()) return instant;
  return instantOf({ ...midnight, hour: 1 }, zone);
}
