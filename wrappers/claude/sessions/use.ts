// Finds whether a claude session is in use: while it runs, each claude keeps a file under its pid with session and start time.

import path from 'node:path';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { processTable } from '../../processes/table.ts';
import { changedLately } from '../../sessions/changed-lately.ts';
import { countOf, readRecord, textOf } from '../../sessions/record.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { filesIn, isFolder } from '../../sessions/store-folder.ts';
import { claudeHome } from '../home.ts';

export async function usedBy(session: SessionFile, lookup: Lookup, now: Date): Promise<string | null> {
  const folder = path.join(claudeHome(lookup.environment)?.folder ?? '', 'sessions');
  // For versions without such a folder, only the file's age shows it.
  if (!isFolder(folder)) return changedLately(session, now);
  for (const name of filesIn(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const running = readRecord(read(path.join(folder, name)));
    if (running?.sessionId !== session.id) continue;
    const pid = countOf(running.pid);
    if (pid !== null && (await runs(pid, textOf(running.procStart)))) return `claude (pid ${pid}) uses it`;
  }
  return null;
}

const MAX_BYTES = 64 * 1024;

function read(file: string): string {
  try {
    return readRegular(file, MAX_BYTES);
  } catch {
    return '';
  }
}

/** A claude that is killed does not remove its file, and its pid may have been reused since. */
async function runs(pid: number, began: string | null): Promise<boolean> {
  const row = await processTable.row(pid);
  if (row === null || row.zombie) return false;
  return began === null || process.platform !== 'linux' || row.startTime === began;
}
