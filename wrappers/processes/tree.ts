// Decides from rows alone which processes belong to a call: one that does not surely belong to it is spared.

import type { ProcessRow } from './rows.ts';
import { type Members, type ProcessLook, type Root, SHORT_MS, type Tree } from './tree-types.ts';
import { bears, provenMembers } from './trust.ts';

/**
 * Returns all living processes of the tree. These are the root's descendants, group and session, and the processes proven by the
 * marker or a folder. The members of the last look count too, with the processes that have joined their groups and sessions
 * since.
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
 * Does a group or session with the root's number come from the root? The kernel does not assign a number that a process (even a
 * zombie), a group or a session has. Once none has it, the next daemon may lead its own group with that number.
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
