// Implements the session store of claude.

import { readFirstPrompt } from '../../sessions/first-prompt.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { find, links, recent } from './places.ts';
import { promptOf } from './row.ts';
import { openTranscript } from './transcript.ts';
import { usedBy } from './use.ts';

export const CLAUDE_SESSIONS: SessionStore = {
  tool: 'claude',
  boundToCwd: false,
  isLocal: true,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: (session) => readFirstPrompt(session, promptOf),
  open: openTranscript,
  renamed: null,
  usedBy: async (session, lookup, now) => usedBy(session, lookup, now),
};
