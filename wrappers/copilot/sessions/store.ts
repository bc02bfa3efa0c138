// Implements the session store of copilot.

import path from 'node:path';
import { processTable } from '../../processes/table.ts';
import { changedLately } from '../../sessions/changed-lately.ts';
import { readFirstPrompt } from '../../sessions/first-prompt.ts';
import { holderOf } from '../../sessions/kernel-lock.ts';
import type { SessionFile, SessionStore } from '../../sessions/store.ts';
import { filesIn, measure } from '../../sessions/store-folder.ts';
import { openEvents } from './conversation.ts';
import { promptOf } from './event-line.ts';
import { find, links, recent } from './lookup.ts';

/**
 * Is a copilot session in use? While copilot runs, it keeps a file with its pid in the session's folder, and holds a lock on
 * another.
 */
async function usedBy(session: SessionFile, now: Date): Promise<string | null> {
  const folder = path.dirname(session.file);
  const users = filesIn(folder).flatMap((name) => /^inuse\.(\d+)\.lock$/.exec(name)?.[1] ?? []);
  for (const pid of users) if (await runs(folder, Number(pid))) return `copilot (pid ${pid}) uses it`;
  // For versions without such files, only the age of the session's file shows it.
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

export const COPILOT_SESSIONS: SessionStore = {
  tool: 'copilot',
  boundToCwd: true,
  // It also finds tasks of GitHub by their id.
  isLocal: false,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: (session) => readFirstPrompt(session, promptOf),
  open: openEvents,
  renamed: null,
  usedBy: async (session, _lookup, now) => usedBy(session, now),
};
