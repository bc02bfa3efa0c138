// Which files those who called us have open for writing: a log that the shell made lies in the tree and grows under our hands.

import { fstatSync, type Stats, statSync } from 'node:fs';
import { nowMs } from '../steady-clock.ts';
import { ancestorsOf } from './ancestors.ts';
import { openForWriting } from './linux-signs.ts';
import { processTable } from './table.ts';
import { SHORT_MS } from './tree-types.ts';

/**
 * Inodes, on that folder's device, of the regular files that our own stdout and stderr are, and on Linux of those that a
 * process of our session or an ancestor of ours has open for writing (`| tee run.log`).
 */
export async function filesOfCallers(folder: string): Promise<Set<number>> {
  const { dev } = statSync(folder);
  const open = [1, 2].map(stdio);
  if (process.platform === 'linux') for (const pid of await callers()) open.push(...openForWriting(pid));
  return new Set(open.flatMap((file) => (file?.isFile() && file.dev === dev ? [file.ino] : [])));
}

/** null for a closed one. */
function stdio(fd: number): Stats | null {
  try {
    return fstatSync(fd);
  } catch {
    return null;
  }
}

/** Who was seen in another session a moment ago: nobody joins ours, and no number comes round again so soon. */
let strangers = { sinceMs: Number.NEGATIVE_INFINITY, pids: new Set<number>() };

async function callers(): Promise<number[]> {
  const own = await processTable.row(process.pid);
  if (nowMs() - strangers.sinceMs >= SHORT_MS) strangers = { sinceMs: nowMs(), pids: new Set() };
  const rows = await processTable.list(null, strangers.pids);
  const session = rows.filter(({ sid }) => sid === own?.sid);
  for (const { pid, sid } of rows) if (sid !== own?.sid) strangers.pids.add(pid);
  return [...new Set([...session, ...(await ancestorsOf(process.pid))].map(({ pid }) => pid))];
}
