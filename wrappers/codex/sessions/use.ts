// Is a codex session in use? codex holds a lock of the kernel on a file for each thread, and it goes with the process.

import path from 'node:path';
import { changedLately } from '../../sessions/changed-lately.ts';
import { holderOf } from '../../sessions/kernel-lock.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { isFolder, measure } from '../../sessions/store-folder.ts';
import { codexHome } from './lookup.ts';

export function usedBy(session: SessionFile, lookup: Lookup, now: Date): string | null {
  const folder = path.join(codexHome(lookup) ?? '', 'thread-writer-locks');
  const lock = path.join(folder, `${session.id}.lock`);
  // Versions without such a folder tell by the file's age alone.
  if (!isFolder(folder)) return changedLately(session, now);
  if (measure(lock) === null) return null;
  const held = holderOf(lock);
  if (held === 'free') return null;
  if (held === 'unknown') return changedLately(session, now);
  return held.pid > 0 ? `codex (pid ${held.pid}) holds its lock` : 'codex holds its lock';
}
