// Implements the session store of codex.

import path from 'node:path';
import { changedLately } from '../../sessions/changed-lately.ts';
import { readFirstPrompt } from '../../sessions/first-prompt.ts';
import { holderOf } from '../../sessions/kernel-lock.ts';
import type { Lookup, SessionFile, SessionStore } from '../../sessions/store.ts';
import { isFolder, measure } from '../../sessions/store-folder.ts';
import { codexHome, find, links, recent } from './lookup.ts';
import { openRollout } from './rollout.ts';
import { promptOf } from './rollout-line.ts';

/** Is a codex session in use? codex holds a kernel lock on a file for each thread, which ends with the process. */
function usedBy(session: SessionFile, lookup: Lookup, now: Date): string | null {
  const folder = path.join(codexHome(lookup) ?? '', 'thread-writer-locks');
  const lock = path.join(folder, `${session.id}.lock`);
  // For versions without such a folder, only the file's age shows it.
  if (!isFolder(folder)) return changedLately(session, now);
  if (measure(lock) === null) return null;
  const held = holderOf(lock);
  if (held === 'free') return null;
  if (held === 'unknown') return changedLately(session, now);
  return held.pid > 0 ? `codex (pid ${held.pid}) holds its lock` : 'codex holds its lock';
}

export const CODEX_SESSIONS: SessionStore = {
  tool: 'codex',
  boundToCwd: false,
  isLocal: true,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: (session) => readFirstPrompt(session, promptOf),
  open: openRollout,
  renamed: null,
  usedBy: async (session, lookup, now) => usedBy(session, lookup, now),
};
