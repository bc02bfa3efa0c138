// Is a copilot session in use? Each copilot leaves a file with its pid in the session's folder while it runs, and holds a lock on another.

import path from 'node:path';
import { processTable } from '../../processes/table.ts';
import { changedLately } from '../../sessions/changed-lately.ts';
import { holderOf } from '../../sessions/kernel-lock.ts';
import type { SessionFile } from '../../sessions/store.ts';
import { filesIn, measure } from '../../sessions/store-folder.ts';

export async function usedBy(session: SessionFile, now: Date): Promise<string | null> {
  const folder = path.dirname(session.file);
  const users = filesIn(folder).flatMap((name) => /^inuse\.(\d+)\.lock$/.exec(name)?.[1] ?? []);
  for (const pid of users) if (await runs(folder, Number(pid))) return `copilot (pid ${pid}) uses it`;
  // Versions that leave no such files tell by the age of the session's file alone.
  const tells = users.length > 0 || measure(path.join(folder, '.workspace-fork.lock')) !== null;
  return tells ? null : changedLately(session, now);
}

async function runs(folder: string, pid: number): Promise<boolean> {
  const hold = path.join(folder, `inuse.${pid}.hold`);
  const held = measure(hold) === null ? 'unknown' : holderOf(hold);
  if (held !== 'unknown') return held !== 'free';
  const row = await processTable.row(pid);
  return row !== null && !row.zombie;
}
