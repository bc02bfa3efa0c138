// Counts the failures of the services that were not recovered, by day, tool and version.

import type { ErrorClass } from '../facts/classes.ts';
import type { ApiErrorFate, ApiOutcome } from './entry.ts';

/** `open`: its stage has not ended yet, or its run ended first. */
type Stand = ApiErrorFate | 'open';

export interface ApiFailure {
  /** ISO time. */
  at: string;
  tool: string;
  cli_version: string | null;
  class: ErrorClass;
  stand: Stand;
}

export interface Counts {
  /** Neither a retry nor a repair fixed it. */
  unrecovered: number;
  /** It was fixed, or a later attempt counts instead of it. */
  recovered: number;
  /** Sign-ins and quotas. The user must resolve them, so they do not count as unrecovered. */
  users: number;
  open: number;
}

interface ApiHealth {
  /** Whole days since the last unrecovered one; null if there was none. */
  days_without: number | null;
  /** ISO times. */
  last_unrecovered: string | null;
  first_logged: string | null;
  total: Counts;
  /** Only days (UTC) on which something failed, the oldest first. */
  days: ({ day: string } & Counts)[];
  /** The most unrecovered first. */
  tools: ({ tool: string; cli_version: string | null } & Counts)[];
}

/** The state of a failure: the last outcome counts. A call outside a run has no run that could recover it. */
export const standOf = (runId: string | null, outcome: ApiOutcome | undefined): Stand =>
  outcome?.how ?? (runId === null ? 'unrecovered' : 'open');

/** @param failures all, each once. @param since ISO; only later ones count, but `last_unrecovered` considers all. */
export function healthOf(failures: readonly ApiFailure[], since: string, now: Date): ApiHealth {
  const counted = failures.filter((one) => one.at >= since && kindOf(one) !== null);
  const last = failures
    .filter((one) => kindOf(one) === 'unrecovered')
    .reduce((latest, { at }) => later(latest, at), '');
  const first = failures.reduce((earliest, { at }) => (earliest === '' || at < earliest ? at : earliest), '');
  return {
    days_without: last === '' ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(last)) / DAY_MS)),
    last_unrecovered: last || null,
    first_logged: first || null,
    total: countsOf(counted),
    days: grouped(counted, ({ at }) => at.slice(0, 10))
      .map(([day, of]) => ({ day, ...countsOf(of) }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    tools: grouped(counted, ({ tool, cli_version }) => `${tool} ${cli_version}`)
      .map(([, of]) => ({ tool: of[0]!.tool, cli_version: of[0]!.cli_version, ...countsOf(of) }))
      .sort(
        (a, b) =>
          b.unrecovered - a.unrecovered || (`${a.tool} ${a.cli_version}` < `${b.tool} ${b.cli_version}` ? -1 : 1),
      ),
  };
}

const DAY_MS = 86_400_000;

const later = (a: string, b: string): string => (a > b ? a : b);

function countsOf(failures: readonly ApiFailure[]): Counts {
  const counts: Counts = { unrecovered: 0, recovered: 0, users: 0, open: 0 };
  for (const failure of failures) {
    const kind = kindOf(failure);
    if (kind !== null) counts[kind] += 1;
  }
  return counts;
}

/** null: the attempt after it failed as well, and counts for both. */
function kindOf({ class: errorClass, stand }: ApiFailure): keyof Counts | null {
  if (errorClass === 'auth' || errorClass === 'quota') return 'users';
  return stand === 'retried' ? null : stand;
}

function grouped(failures: readonly ApiFailure[], by: (one: ApiFailure) => string): [string, ApiFailure[]][] {
  const groups = new Map<string, ApiFailure[]>();
  for (const failure of failures) {
    const key = by(failure);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [failure]);
    else group.push(failure);
  }
  return [...groups];
}
