// Which processes are a call's, decided from rows alone: whoever is not surely of the call is a stranger, and spared.

import type { ProcessRow } from './table.ts';

export interface Tree {
  /** The CLI's own process, which leads a group and a session of its own. */
  root: Root | null;
  /** The call's marker, `outer/inner`; whatever bears it or a longer chain belongs to the call. */
  marker: string;
}

export interface Root {
  pid: number;
  /** null for a child that was gone before it could be looked at. */
  startTime: string | null;
  /** When it was started, by the steady clock; -Infinity when that was in an earlier run. */
  sinceMs: number;
  /**
   * A `child` was started by this very process: once it has ended and been reaped, its number is still its own for the
   * moments that pass until the tree is ended. One `found` in a record may be long dead and its number given to another.
   */
  ours?: 'child' | 'found';
}

/** The machine as it was at one moment. */
export interface Look {
  rows: readonly ProcessRow[];
  markers: ReadonlyMap<number, string>;
  /** Numbers that are never of the tree, whatever they bear: ourselves, and those that we live under. */
  spared: ReadonlySet<number>;
}

export interface Members {
  rows: ProcessRow[];
  /** Did the root, its group or its session still bear its number? Then nobody else can have it before the next look. */
  numberHeld: boolean;
}

/**
 * Everything of the tree that lives: descendants, group and session of the root, bearers of the marker, and the members
 * of the last look.
 */
export function membersAmong(look: Look, { root, marker }: Tree, last: Members | null = null): Members {
  const owned = root !== null && ownsItsNumber(root, look.rows, last);
  const living = look.rows.filter((row) => !row.zombie && row.pid > 1 && !look.spared.has(row.pid));
  const mine = new Set<number>();
  for (const row of living)
    if (
      isRoot(row, root) ||
      (owned && isLed(row, root)) ||
      bears(look.markers.get(row.pid), marker) ||
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
    numberHeld: owned && look.rows.some((row) => isRoot(row, root) || isLed(row, root)),
  };
}

export const isRoot = (row: ProcessRow, root: Root | null): boolean =>
  root !== null && row.pid === root.pid && row.startTime === root.startTime;

/**
 * Does a group or session with the root's number come from the root? The kernel gives no number away that a process
 * (a zombie too), a group or a session bears; once none does, the next daemon may lead its own by it.
 */
function ownsItsNumber(root: Root, rows: readonly ProcessRow[], last: Members | null): boolean {
  const bearer = rows.find((row) => row.pid === root.pid);
  if (bearer !== undefined) return isRoot(bearer, root);
  return last === null ? root.ours === 'child' : last.numberHeld;
}

const isLed = (row: ProcessRow, root: Root) => row.pgid === root.pid || row.sid === root.pid;

const bears = (marker: string | undefined, ours: string) => marker === ours || marker?.startsWith(`${ours}/`) === true;
