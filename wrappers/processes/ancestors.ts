// Finds the living ancestors of a process, its parent first.

import { execFile } from 'node:child_process';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { ownRow } from './identity.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';
import { isOlder } from './trust.ts';

export async function ancestorsOf(pid: number): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  let row = await processTable.row(pid);
  while (row !== null && row.ppid > 1) {
    row = await processTable.row(row.ppid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

export const isAmong = (rows: readonly ProcessRow[], { pid, start_time }: ProcessIdentity): boolean =>
  rows.some((row) => row.pid === pid && row.startTime === start_time);

export interface OwnLineage {
  /** This process, then each parent; empty if the system does not show this process. */
  rows: ProcessRow[];
  /**
   * `first`: the parent of the last row is the first process, or is outside this container.
   * `foreign`: the parent is a process of another user, which is hidden from us. `hidden`: the parent cannot be seen.
   */
  upTo: 'first' | 'foreign' | 'hidden';
}

export async function ownLineage(): Promise<OwnLineage> {
  const rows: ProcessRow[] = [];
  let row = await ownRow();
  while (row !== null) {
    if (row.ppid <= 1) return { rows: [...rows, row], upTo: 'first' };
    const parent = await processTable.row(row.ppid);
    // A parent is never younger than its child. If it is, the pid was reused.
    if (parent !== null && !isOlder(row.startTime, parent.startTime)) {
      rows.push(row);
      row = parent;
      continue;
    }
    // If the parent ended a moment ago, the child now has another parent.
    const again = await processTable.row(row.pid);
    if (again !== null && again.ppid === row.ppid)
      return { rows: [...rows, row], upTo: isForeign(row.ppid) ? 'foreign' : 'hidden' };
    row = again;
  }
  return { rows, upTo: 'hidden' };
}

/** The system refuses to signal the process. This shows that it lives, even if /proc is mounted with `hidepid`. */
function isForeign(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Finds the process that adopts our orphaned descendants. It is the first process, or an ancestor that declared itself a
 * subreaper, such as a user's service manager. Only an orphan can find out.
 * @returns null if no orphan could be made.
 */
export function adopterOfOrphans(): Promise<number | null> {
  if (process.platform !== 'linux') return Promise.resolve(1);
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', ORPHAN], { env: {}, timeout: 10_000 }, (error, adopter) =>
      resolve(error === null && /^\d+\n$/.test(adopter) ? Number(adopter) : null),
    );
  });
}

/** The inner shell waits until its parent is no longer the outer shell. */
const ORPHAN = `/bin/sh -c 'while read -r _ _ _ parent _ < /proc/self/stat && [ "$parent" = "$0" ]; do :; done; echo "$parent"' $$ &`;
