// Which processes are a call's, decided from rows alone: whoever is not surely of the call is a stranger, and spared.

import type { ProcessRow } from './table.ts';
import { bears, type Signs, vouchedFor } from './trust.ts';

export interface Tree {
  /** The CLI's own process, which leads a group and a session of its own. */
  root: Root | null;
  /** The call's marker, `outer/inner`; whatever bears it or a longer chain belongs to the call, if nothing speaks against it. */
  marker: string;
  /** A start time, as the kernel gives it: whoever is older is not of the call. Without it, the root's own. */
  since?: string | null;
  /** Private folders of the call: who hangs from nobody and writes or works there is of the call (on Linux). */
  folders?: readonly string[];
  /** Who was seen while the call ran. */
  seen?: Members | null;
}

export interface Root {
  pid: number;
  /** null for a child that was gone before it could be looked at. */
  startTime: string | null;
  /** When it was started, by the steady clock; -Infinity when that was in an earlier run. */
  sinceMs: number;
  /**
   * A `child` was started by this very process: once it has ended and been reaped, its number is still its own for the
   * moments that pass until the tree is ended. One `found` in a record may be long dead and its number given to another,
   * so it must bear the marker too.
   */
  ours?: 'child' | 'found';
}

/** The machine as it was at one moment. */
export interface Look extends Signs {
  /** By the steady clock, before anything was read. */
  atMs: number;
  /** Only processes with this number or a higher one were listed. */
  from: number;
  /** The number given out last by then. */
  newest: number | null;
  /** Those that were not listed, since they were found to be older than the call a moment ago. */
  elders: Elders;
  above: Lineage;
}

/** Ourselves and those that we live under. */
export interface Lineage {
  spared: ReadonlySet<number>;
  /** Theirs. Nobody joins another's session, so of the call, which leads one of its own, nobody is in these. */
  sessions: ReadonlySet<number>;
  /** Our own; null where it could not be told. */
  startTime: string | null;
  atMs: number;
}

/** Older than the call, and so strangers. */
export interface Elders {
  pids: ReadonlySet<number>;
  /** Their groups and sessions. */
  numbers: ReadonlySet<number>;
  /** When they were looked at. */
  atMs: number;
}

export interface Members {
  rows: ProcessRow[];
  /** Could nobody else have the root's number, its group and its session at that moment? */
  numberOurs: boolean;
  /** Did the root, its group or its session still bear its number? Then nobody else can have it before the next look. */
  numberHeld: boolean;
  /** Groups and sessions in which everybody is of the tree: whoever turns up there soon was started by one of it. */
  numbers: ReadonlySet<number>;
  atMs: number;
  /** The number given out last when the look began; null where the system does not tell it. */
  newest: number | null;
  elders: Elders;
  above: Lineage;
}

/** Numbers are given out upwards; that they went all the way round is ruled out only for a short while. */
export const SHORT_MS = 500;

/**
 * Everything of the tree that lives: descendants, group and session of the root, who is vouched for by the marker or a
 * folder, and the members of the last look with those who joined their groups and sessions since.
 */
export function membersAmong(look: Look, tree: Tree, last: Members | null = null): Members {
  const { root } = tree;
  const owned = root !== null && ownsItsNumber(root, look, tree, last);
  const recent = last !== null && look.atMs - last.atMs < SHORT_MS ? last.numbers : new Set<number>();
  const living = look.rows.filter((row) => !row.zombie && row.pid > 1 && !look.above.spared.has(row.pid));
  const mine = vouchedFor(look, tree);
  for (const row of living)
    if (
      (owned && (isRoot(row, root) || isLed(row, root))) ||
      recent.has(row.pgid) ||
      (row.sid !== null && recent.has(row.sid)) ||
      last?.rows.some((old) => old.pid === row.pid && old.startTime === row.startTime)
    )
      mine.add(row.pid);
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of living) {
      if (mine.has(row.pid) || !mine.has(row.ppid)) continue;
      mine.add(row.pid);
      grown = true;
    }
  }
  return {
    rows: living.filter((row) => mine.has(row.pid)),
    numberOurs: owned,
    numberHeld: owned && look.rows.some((row) => isRoot(row, root) || isLed(row, root)),
    numbers: numbersOf(look, mine),
    atMs: look.atMs,
    newest: look.newest,
    elders: look.elders,
    above: look.above,
  };
}

export const isRoot = (row: ProcessRow, root: Root | null): boolean =>
  root !== null && row.pid === root.pid && row.startTime === root.startTime;

/**
 * Does a group or session with the root's number come from the root? The kernel gives no number away that a process
 * (a zombie too), a group or a session bears; once none does, the next daemon may lead its own by it.
 */
function ownsItsNumber(root: Root, look: Look, { marker }: Tree, last: Members | null): boolean {
  const bearer = look.rows.find((row) => row.pid === root.pid);
  if (bearer === undefined) return last === null ? root.ours === 'child' : last.numberHeld;
  if (!isRoot(bearer, root)) return false;
  return root.ours === 'child' || last?.numberHeld === true || bears(look.markers.get(root.pid), marker);
}

const isLed = (row: ProcessRow, root: Root) => row.pgid === root.pid || row.sid === root.pid;

function numbersOf({ rows, from, elders }: Look, mine: ReadonlySet<number>): Set<number> {
  const numbers = new Set<number>();
  const living = rows.filter((row) => !row.zombie);
  for (const row of living) if (mine.has(row.pid)) for (const number of numbersIn(row)) numbers.add(number);
  for (const row of living) if (!mine.has(row.pid)) for (const number of numbersIn(row)) numbers.delete(number);
  for (const number of numbers) if (number <= 1 || number < from || elders.numbers.has(number)) numbers.delete(number);
  return numbers;
}

export const numbersIn = ({ pgid, sid }: ProcessRow): number[] => (sid === null ? [pgid] : [pgid, sid]);
