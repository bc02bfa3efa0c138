// codex's session files.

import type { SessionStore } from '../../sessions/store.ts';
import { firstLines } from '../../sessions/store-folder.ts';
import { find, recent } from './lookup.ts';
import { openRollout } from './rollout.ts';
import { promptOf } from './rollout-line.ts';
import { usedBy } from './use.ts';

export const CODEX_SESSIONS: SessionStore = {
  tool: 'codex',
  boundToCwd: false,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  firstPrompt: ({ file }) => firstPrompt(file),
  open: openRollout,
  usedBy: async (session, lookup, now) => usedBy(session, lookup, now),
};

/** The longest prompt that codex takes has a million characters. */
const READ_BYTES = [256 * 1024, 8 * 1024 * 1024];

function firstPrompt(file: string): string | null {
  try {
    for (const bytes of READ_BYTES) {
      const found = firstLines(file, bytes)
        .map(promptOf)
        .find((prompt) => prompt !== null);
      if (found != null) return found;
    }
  } catch {}
  return null;
}
