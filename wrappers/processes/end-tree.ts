// Ends everything that a call started: listed first, then TERM, a time of grace, KILL, until nothing bears its marker.

import { setTimeout as pause } from 'node:timers/promises';
import { nowMs } from '../steady-clock.ts';
import { type ProcessRow, processTable } from './table.ts';
import { isRoot, type Members, membersAmong, type Tree } from './tree.ts';

export type { Tree } from './tree.ts';

/** How long a process may take to end after TERM. */
export const GRACE_MS = 2000;

/** What KILL does not end in this time cannot be ended by us: it waits in the kernel, or belongs to another user. */
const KILL_MS = 5000;

/**
 * Ends the tree and waits until it is gone.
 * @returns how many processes were found beside the root.
 */
export async function endTree(tree: Tree, graceMs = GRACE_MS): Promise<number> {
  const seen = new Set<string>();
  // Listed before anything is killed: a child whose parent died can no longer be found by its parent.
  let found = await look(tree, null);
  let beside = count(found.rows, tree, seen);
  send(found.rows, 'SIGTERM');
  const deadline = nowMs() + graceMs;
  while (found.rows.length > 0 && nowMs() < deadline) {
    await pause(10);
    found = await look(tree, found);
    beside += count(found.rows, tree, seen);
  }
  const last = nowMs() + KILL_MS;
  while (found.rows.length > 0 && nowMs() < last) {
    send(found.rows, 'SIGKILL');
    await pause(5);
    found = await look(tree, found);
    beside += count(found.rows, tree, seen);
  }
  return beside;
}

/** Everything of the tree that lives. Neither we nor those that we live under are ever of it. */
export async function membersOf(tree: Tree): Promise<ProcessRow[]> {
  return (await look(tree, null)).rows;
}

async function look(tree: Tree, last: Members | null): Promise<Members> {
  const since = tree.root && { pid: tree.root.pid, ageMs: nowMs() - tree.root.sinceMs };
  const rows = await processTable.list(since);
  const markers = await processTable.markers(rows.filter((row) => !row.zombie && row.pid !== process.pid));
  return membersAmong({ rows, markers, spared: await lineage(rows) }, tree, last);
}

/** Ourselves and all above us. A look at the new ones only may leave some of them out. */
async function lineage(rows: readonly ProcessRow[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); ) {
    found.add(pid);
    const row = rows.find((listed) => listed.pid === pid) ?? (await processTable.row(pid));
    pid = row?.ppid ?? 0;
  }
  return found;
}

function count(found: readonly ProcessRow[], { root }: Tree, seen: Set<string>): number {
  let fresh = 0;
  for (const row of found) {
    const key = `${row.pid} ${row.startTime}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!isRoot(row, root)) fresh += 1;
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
