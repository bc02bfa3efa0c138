// What was used of the limits over all tasks, as a value: who calls, what was spent in which quarter of an hour, what began of late.

import type { ProcessIdentity } from '../facts/process-identity.ts';

/** A call that was granted and is not over. */
export interface OpenCall {
  call_id: string;
  tool: string;
  account: string;
  /** The root of its project. */
  project: string;
  /** The root of the task that pays; null for none. */
  task: string | null;
  /** Milliseconds since 1970, as are all times here. */
  at: number;
  /** Who waits for it: its wrapper, or before that the run that asks for it. */
  owner: ProcessIdentity;
  /** Its owner is gone and nothing of it works any more, but what it used is not known yet. */
  lost?: true;
}

interface SpentRow {
  /** When its quarter of an hour began: all time zones differ by whole ones, and no day begins within one. */
  at: number;
  tool: string;
  project: string;
  calls: number;
  tokens: number;
  usd: number;
  /** Calls that have ended and did not report it: they come on top. */
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

/** A budget neared its limit, and nobody was told of it yet but whoever made the call. */
export interface NearRow {
  at: number;
  call_id: string;
  /** Of a limit that a project sets itself: its root. */
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
}

export const EMPTY_LEDGER: LimitsLedger = { v: 1, open: [], spent: [], begun: [] };

export const QUARTER_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

/** One call is charged: it counts whatever becomes of it. */
export function charged(ledger: LimitsLedger, call: OpenCall): LimitsLedger {
  const { call_id, tool, account, project, at } = call;
  return {
    ...ledger,
    open: [...ledger.open, call],
    spent: added(ledger.spent, { at: quarterOf(at), tool, project, calls: 1, tokens: 0, usd: 0 }),
    begun: [...ledger.begun, { at, call_id, tool, account, project }],
  };
}

/** Calls that were made before, while no limit was set, are not in the ledger. @param project null for the user's own limits */
export function countedSince({ since = {}, spent }: LimitsLedger, project: string | null, now: number): number {
  const noted = since[project ?? ''];
  if (noted !== undefined) return Math.min(noted, now);
  return spent.reduce(
    (first, row) => (project === null || row.project === project ? Math.min(first, row.at) : first),
    now,
  );
}

/** Notes the start of counting for those of which it is not known yet. */
export function counting(ledger: LimitsLedger, projects: readonly (string | null)[], now: number): LimitsLedger {
  const added = projects.map((project) => [project ?? '', countedSince(ledger, project, now)] as const);
  return { ...ledger, since: { ...ledger.since, ...Object.fromEntries(added) } };
}

/** The user set a limit where there was none: the calls until now were not counted. */
export const countingFrom = (ledger: LimitsLedger, now: number): LimitsLedger => ({
  ...ledger,
  since: { ...ledger.since, '': now },
});

/** What a call was found to have used; null is unknown. */
interface UsedByCall {
  tokens: number | null;
  usd: number | null;
}

/** The call is over. @param used `not_made`: nothing was started, and it counts for nothing. */
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

/** Kept until a run's end tells it, whoever made the call and whatever became of that. */
export const noted = (ledger: LimitsLedger, rows: readonly NearRow[]): LimitsLedger =>
  rows.length === 0 ? ledger : withNear(ledger, [...(ledger.near ?? []), ...rows].slice(-MOST_NEAR));

/** What a run of this project is to tell, and what is left when it has. */
export function tellable(ledger: LimitsLedger, project: string): { words: string[]; left: LimitsLedger } {
  const { near = [], ...rest } = ledger;
  const isTold = (row: NearRow) => row.project === null || row.project === project;
  return {
    words: near.filter(isTold).map(({ words }) => words),
    left: withNear(
      rest,
      near.filter((row) => !isTold(row)),
    ),
  };
}

const withNear = (ledger: LimitsLedger, near: readonly NearRow[]): LimitsLedger => {
  const { near: _, ...rest } = ledger;
  return near.length === 0 ? rest : { ...rest, near };
};

/** A machine on which nobody is ever told must not gather them. */
const MOST_NEAR = 50;

/**
 * As it is to be read now. Where the clock was set back, what stands in the future has happened by now at the latest: it counts
 * in the present period, so that nobody gains by it. What no limit looks at any more goes.
 */
export function asOf(ledger: LimitsLedger, now: number): LimitsLedger {
  const latest = quarterOf(now);
  const moved = ledger.spent.some(({ at }) => at > latest)
    ? ledger.spent.reduce<readonly SpentRow[]>((rows, row) => added(rows, { ...row, at: Math.min(row.at, latest) }), [])
    : ledger.spent;
  return {
    ...ledger,
    spent: moved.length > MOST_ROWS ? moved.filter(({ at }) => at > now - KEEP_MS) : moved,
    open: ledger.open.map((call) => (call.at > now ? { ...call, at: now } : call)),
    begun: ledger.begun
      .map((one) => (one.at > now ? { ...one, at: now } : one))
      .filter(({ at }) => at > now - MINUTE_MS),
  };
}

/** Longer than any month. Few rows stay all the same: a clock that was wrong for an hour must not lose a month. */
const KEEP_MS = 40 * 86_400_000;
const MOST_ROWS = 2000;

function added(rows: readonly SpentRow[], more: SpentRow): readonly SpentRow[] {
  const same = rows.find(({ at, tool, project }) => at === more.at && tool === more.tool && project === more.project);
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
