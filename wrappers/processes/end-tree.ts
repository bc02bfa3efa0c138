// Ends everything that a call started: listed first, then TERM, a time of grace, KILL, until nothing bears its marker.

import { setTimeout as pause } from 'node:timers/promises';
import { nowMs } from '../steady-clock.ts';
import { type ProcessRow, processTable } from './table.ts';

export interface Tree {
  /** The CLI's own process, which leads a group and a session of its own; `sinceMs` is when it was started. */
  root: { pid: number; startTime: string; sinceMs: number } | null;
  /** The call's marker, `outer/inner`; whatever bears it or a longer chain belongs to the call. */
  marker: string;
}

/** How long a process may take to end after TERM. */
export const GRACE_MS = 2000;

/**
 * Ends the tree and waits until it is gone.
 * @returns how many processes were found beside the root.
 */
export async function endTree(tree: Tree, graceMs = GRACE_MS): Promise<number> {
  const seen = new Set<string>();
  // Listed before anything is killed: a child whose parent died can no longer be found by its parent.
  let found = await membersOf(tree);
  let beside = count(found, tree, seen);
  send(found, 'SIGTERM');
  const deadline = nowMs() + graceMs;
  while (found.length > 0 && nowMs() < deadline) {
    await pause(10);
    found = await membersOf(tree, found);
    beside += count(found, tree, seen);
  }
  while (found.length > 0) {
    send(found, 'SIGKILL');
    await pause(5);
    found = await membersOf(tree, found);
    beside += count(found, tree, seen);
  }
  return beside;
}

/** Everything of the tree that lives: descendants, group and session of the root, bearers of the marker, and `known` ones. */
export async function membersOf(tree: Tree, known: readonly ProcessRow[] = []): Promise<ProcessRow[]> {
  const since = tree.root && { pid: tree.root.pid, ageMs: nowMs() - tree.root.sinceMs };
  const rows = (await processTable.list(since)).filter((row) => !row.zombie && row.pid !== process.pid);
  const marked = await processTable.markers(rows);
  // A number stays taken while a group or session bears it, so only a stranger that leads can have been given it anew.
  const reused = rows.some((row) => row.pid === tree.root?.pid && !isRoot(row, tree));
  const mine = new Set<number>();
  for (const row of rows) {
    if (isRoot(row, tree) || (leads(row, tree) && !reused) || bears(marked.get(row.pid), tree.marker))
      mine.add(row.pid);
    if (known.some((old) => old.pid === row.pid && old.startTime === row.startTime)) mine.add(row.pid);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (mine.has(row.pid) || !mine.has(row.ppid)) continue;
      mine.add(row.pid);
      grown = true;
    }
  }
  return rows.filter((row) => mine.has(row.pid));
}

const isRoot = (row: ProcessRow, { root }: Tree) =>
  root !== null && row.pid === root.pid && row.startTime === root.startTime;

const leads = (row: ProcessRow, { root }: Tree) => root !== null && (row.pgid === root.pid || row.sid === root.pid);

const bears = (marker: string | undefined, ours: string) => marker === ours || marker?.startsWith(`${ours}/`) === true;

function count(found: readonly ProcessRow[], tree: Tree, seen: Set<string>): number {
  let fresh = 0;
  for (const row of found) {
    const key = `${row.pid} ${row.startTime}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!isRoot(row, tree)) fresh += 1;
  }
  return fresh;
}

function send(rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  for (const row of rows) {
    try {
      process.kill(row.pid, signal);
    } catch {
      // Gone in the meantime, which is what was wanted.
    }
  }
}
