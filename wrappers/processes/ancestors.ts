// The processes that one was started from, its parent first, as far up as they still live.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';

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
