// Which processes are a call's, decided from rows alone: whoever is not surely of the call is a stranger, and spared.

import type { ProcessRow } from './rows.ts';
import { type Members, type ProcessLook, type Root, SHORT_MS, type Tree } from './tree-types.ts';
import { bears, provenMembers } from './trust.ts';

/**
 * Everything of the tree that lives: descendants, group and session of the root, who is vouched for by the marker or a
 * folder, and the members of the last look with those who joined their groups and sessions since.
 */
export function membersAmong(look: ProcessLook, tree: Tree, last: Members | null = null): Members {
  const { root } = tree;
  const owned = root !== null && ownsItsNumber(root, look, tree, last);
  const recent = last !== null && look.atMs - last.atMs < SHORT_MS ? last.numbers : new Set<number>();
  const living = look.rows.filter((row) => !row.zombie && row.pid > 1 && !look.above.spared.has(row.pid));
  const mine = provenMembers(look, tree);
  for (const row of living)
    if (
      (owned && (isRoot(row, root) || isLed(row, root))) ||
      look.grouped.has(row.pid) ||
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
function ownsItsNumber(root: Root, look: ProcessLook, { marker }: Tree, last: Members | null): boolean {
  const bearer = look.rows.find((row) => row.pid === root.pid);
  if (bearer === undefined) return last === null ? root.ours === 'child' : last.numberHeld;
  if (!isRoot(bearer, root)) return false;
  return root.ours === 'child' || last?.numberHeld === true || bears(look.markers.get(root.pid), marker);
}

const isLed = (row: ProcessRow, root: Root) => row.pgid === root.pid || row.sid === root.pid;

function numbersOf({ rows, from, elders }: ProcessLook, mine: ReadonlySet<number>): Set<number> {
  const numbers = new Set<number>();
  const living = rows.filter((row) => !row.zombie);
  for (const row of living) if (mine.has(row.pid)) for (const number of numbersIn(row)) numbers.add(number);
  for (const row of living) if (!mine.has(row.pid)) for (const number of numbersIn(row)) numbers.delete(number);
  for (const number of numbers) if (number <= 1 || number < from || elders.numbers.has(number)) numbers.delete(number);
  return numbers;
}

export const numbersIn = ({ pgid, sid }: ProcessRow): number[] => (sid === null ? [pgid] : [pgid, sid]);
