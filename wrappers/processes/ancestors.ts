// The processes that one was started from, its parent first, as far up as they still live.

import { type ProcessRow, processTable } from './table.ts';

export async function ancestorsOf(pid: number): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  let row = await processTable.row(pid);
  while (row !== null && row.ppid > 1) {
    row = await processTable.row(row.ppid);
    if (row !== null) rows.push(row);
  }
  return rows;
}
