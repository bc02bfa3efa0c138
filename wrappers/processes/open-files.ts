// Finds who has a file open for writing: our callers, whose log grows in the tree during the call, and what remains of a call.

import { fstatSync, type Stats, statSync } from 'node:fs';
import { tried } from '../../policies/text/tried.ts';
import { nowMs } from '../steady-clock.ts';
import { ancestorsOf } from './ancestors.ts';
import { mayWrite, openForWriting } from './linux-signs.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';
import { SHORT_MS } from './tree-types.ts';

/**
 * Returns inodes, on that folder's device, of regular files. These are our own stdout and stderr. On Linux, also those that a
 * process of our session or our ancestor has open for writing (`| tee run.log`).
 */
export async function filesOfCallers(folder: string): Promise<Set<number>> {
  const { dev } = statSync(folder);
  const open = [1, 2].map(stdio);
  if (process.platform === 'linux') for (const pid of await callers()) open.push(...openForWriting(pid));
  return new Set(open.flatMap((file) => (file?.isFile() && file.dev === dev ? [file.ino] : [])));
}

/** Returns the processes that may still write the file; other systems than Linux do not show it, so all of them. */
export function writersOf(rows: readonly ProcessRow[], file: string): readonly ProcessRow[] {
  if (process.platform !== 'linux') return rows;
  const written = tried(() => statSync(file));
  return written === null ? [] : rows.filter(({ pid }) => mayWrite(pid, written));
}

/** @returns null for a closed descriptor. */
const stdio = (fd: number): Stats | null => tried(() => fstatSync(fd));

const callers = createCallers();

function createCallers(): () => Promise<number[]> {
  /** Processes seen in another session a moment ago. A process cannot join our session, and a pid is not reused so soon. */
  let strangers = { sinceMs: Number.NEGATIVE_INFINITY, pids: new Set<number>() };
  return async () => {
    const own = await processTable.row(process.pid);
    if (nowMs() - strangers.sinceMs >= SHORT_MS) strangers = { sinceMs: nowMs(), pids: new Set() };
    const rows = await processTable.list(null, strangers.pids);
    const session = rows.filter(({ sid }) => sid === own?.sid);
    for (const { pid, sid } of rows) if (sid !== own?.sid) strangers.pids.add(pid);
    return [...new Set([...session, ...(await ancestorsOf(process.pid))].map(({ pid }) => pid))];
  };
}
