// Keeps the use of the limits over all tasks: open calls, amounts per quarter of an hour, and recently begun calls.

import type { ProcessIdentity } from '../facts/process-identity.ts';

/** A call that was granted and is not over. */
export interface OpenCall {
  call_id: string;
  tool: string;
  account: string;
  /** The root of its project. */
  project: string;
  /** The root of the task that pays; null if there is none. */
  task: string | null;
  /** Milliseconds since 1970, as all times here. */
  at: number;
  /** The process that waits for the call: its wrapper, or before that the run that requests it. */
  owner: ProcessIdentity;
  /** The owner is gone and no process of the call works any more, but what the call used is not known yet. */
  lost?: true;
}

interface SpentRow {
  /** The start of its quarter of an hour. All time zones differ by whole quarters, and no day begins within one. */
  at: number;
  /** The quarter that the clock of its calls showed, if a later clock was behind that. Either may be wrong, so the row counts in both. */
  dated?: number;
  tool: string;
  project: string;
  calls: number;
  tokens: number;
  usd: number;
  /** Calls that ended without reporting this amount. Their use comes on top. */
  calls_without_tokens?: number;
  calls_without_usd?: number;
}

interface BegunRow {
  at: number;
  call_id: string;
  tool: string;
  account: string;
  project: string;
}

/** A budget is nearly used up, and so far only the caller was informed. */
export interface NearRow {
  at: number;
  call_id: string;
  /** The root of the project, if it set the limit itself. */
  project: string | null;
  words: string;
}

export interface LimitsLedger {
  v: 1;
  open: readonly OpenCall[];
  spent: readonly SpentRow[];
  begun: readonly BegunRow[];
  near?: readonly NearRow[];
  /** Since when every call is counted: by the root of a project that limits itself, and under '' for the user's own limits. */
  since?: Readonly<Record<string, number>>;
  /** What the clock showed at that time, if a later clock was behind it. */
  since_dated?: Readonly<Record<string, number>>;
}

export const EMPTY_LEDGER: LimitsLedger = { v: 1, open: [], spent: [], begun: [] };

export const QUARTER_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

/** Charges one call. It counts, whatever its outcome. */
export function charged(ledger: LimitsLedger, call: OpenCall): LimitsLedger {
  const { call_id, tool, account, project, at } = call;
  return {
    ...ledger,
    open: [...ledger.open, call],
    spent: added(ledger.spent, { at: quarterOf(at), tool, project, calls: 1, tokens: 0, usd: 0 }),
    begun: [...ledger.begun, { at, call_id, tool, account, project }],
  };
}

/** Calls that were made while no limit was set are not in the ledger. @param project null: the user's own limits. */
export function countedSince(
  { since = {}, since_dated = {}, spent }: LimitsLedger,
  project: string | null,
  now: number,
): number {
  const [noted, dated] = [since[project ?? ''], since_dated[project ?? '']];
  // A clock that was behind for a moment moved it, and not one that had run ahead.
  if (dated !== undefined && dated <= now) return dated;
  if (noted !== undefined) return Math.min(noted, now);
  return spent.reduce(
    (first, row) => (project === null || row.project === project ? Math.min(first, dateOf(row)) : first),
    now,
  );
}

/** Records the start of counting for the projects without one. */
export function counting(ledger: LimitsLedger, projects: readonly (string | null)[], now: number): LimitsLedger {
  const added = projects.map((project) => [project ?? '', countedSince(ledger, project, now)] as const);
  return { ...ledger, since: { ...Object.fromEntries(added), ...ledger.since } };
}

/** The user set a limit where there was none: the calls until now were not counted. */
export function countingFrom(ledger: LimitsLedger, now: number): LimitsLedger {
  const { '': _, ...since_dated } = ledger.since_dated ?? {};
  return { ...ledger, since: { ...ledger.since, '': now }, since_dated };
}

/** What a call used; null if unknown. */
interface UsedByCall {
  tokens: number | null;
  usd: number | null;
}

/** The call is over. @param used `not_made`: nothing was started, so the call does not count. */
export function settled(ledger: LimitsLedger, callId: string, used: UsedByCall | 'not_made'): LimitsLedger {
  const call = ledger.open.find(({ call_id }) => call_id === callId);
  if (call === undefined) return ledger;
  const { tool, project, at } = call;
  const row = { at: quarterOf(at), tool, project };
  const isMade = used !== 'not_made';
  const { near = [], ...rest } = ledger;
  return {
    ...withNear(rest, isMade ? near : near.filter((one) => one.call_id !== callId)),
    open: ledger.open.filter((one) => one !== call),
    begun: isMade ? ledger.begun : ledger.begun.filter(({ call_id }) => call_id !== callId),
    spent: added(ledger.spent, {
      ...row,
      calls: isMade ? 0 : -1,
      tokens: isMade ? (used.tokens ?? 0) : 0,
      usd: isMade ? (used.usd ?? 0) : 0,
      calls_without_tokens: Number(isMade && used.tokens === null),
      calls_without_usd: Number(isMade && used.usd === null),
    }),
  };
}

/** Keeps the warnings until the end of a run reports them, whichever call caused them and whatever its outcome. */
export const noted = (ledger: LimitsLedger, rows: readonly NearRow[]): LimitsLedger =>
  rows.length === 0 ? ledger : withNear(ledger, [...(ledger.near ?? []), ...rows].slice(-MOST_NEAR));

/** Returns what a run of this project must report, and the ledger without it. */
export function dueWarnings(ledger: LimitsLedger, project: string): { words: string[]; remaining: LimitsLedger } {
  const { near = [], ...rest } = ledger;
  const isTold = (row: NearRow) => row.project === null || row.project === project;
  return {
    words: near.filter(isTold).map(({ words }) => words),
    remaining: withNear(
      rest,
      near.filter((row) => !isTold(row)),
    ),
  };
}

const withNear = (ledger: LimitsLedger, near: readonly NearRow[]): LimitsLedger => {
  const { near: _, ...rest } = ledger;
  return near.length === 0 ? rest : { ...rest, near };
};

/** Limits their number, for machines on which no run reports them. */
const MOST_NEAR = 50;

/**
 * Returns the ledger as it applies now. If the clock was set back, rows in the future count in the present period too, so that a
 * wrong clock gives no advantage. Rows that no limit needs any more are removed.
 */
export function asOf(ledger: LimitsLedger, now: number): LimitsLedger {
  const latest = quarterOf(now);
  const moved = ledger.spent.map((row) => (row.at > latest ? { ...row, at: latest, dated: dateOf(row) } : row));
  const since = Object.entries(ledger.since ?? {});
  const future = since.filter(([, at]) => at > now);
  return {
    ...ledger,
    ...(future.length === 0
      ? {}
      : {
          since: Object.fromEntries(since.map(([project, at]) => [project, Math.min(at, now)])),
          since_dated: { ...Object.fromEntries(future), ...ledger.since_dated },
        }),
    spent: moved.length > MOST_ROWS ? moved.filter((row) => Math.max(row.at, dateOf(row)) > now - KEEP_MS) : moved,
    begun: ledger.begun
      .map((one) => (one.at > now ? { ...one, at: now } : one))
      .filter(({ at }) => at > now - MINUTE_MS),
  };
}

/** Whether `asOf` moves something. Unless that is written, it moves on with each look. */
export const isAhead = ({ spent, begun, since = {} }: LimitsLedger, now: number): boolean =>
  spent.some(({ at }) => at > quarterOf(now)) ||
  begun.some(({ at }) => at > now) ||
  Object.values(since).some((at) => at > now);

const dateOf = ({ at, dated }: SpentRow): number => dated ?? at;

/** Removes older rows, longer than a month, only above `MOST_ROWS`: a wrong clock must not lose a month. */
const KEEP_MS = 40 * 86_400_000;
const MOST_ROWS = 2000;

function added(rows: readonly SpentRow[], more: SpentRow): readonly SpentRow[] {
  const same = rows.find((row) => dateOf(row) === more.at && row.tool === more.tool && row.project === more.project);
  if (same === undefined) return more.calls < 0 ? rows : [...rows, more];
  const sum = {
    ...same,
    calls: Math.max(0, same.calls + more.calls),
    tokens: same.tokens + more.tokens,
    usd: same.usd + more.usd,
    calls_without_tokens: (same.calls_without_tokens ?? 0) + (more.calls_without_tokens ?? 0),
    calls_without_usd: (same.calls_without_usd ?? 0) + (more.calls_without_usd ?? 0),
  };
  return rows.map((row) => (row === same ? sum : row));
}
