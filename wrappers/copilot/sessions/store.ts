// copilot's session files.

import { readFirstPrompt } from '../../sessions/first-prompt.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { openEvents } from './conversation.ts';
import { promptOf } from './event-line.ts';
import { find, links, recent } from './lookup.ts';
import { usedBy } from './use.ts';

export const COPILOT_SESSIONS: SessionStore = {
  tool: 'copilot',
  boundToCwd: true,
  // It finds tasks of GitHub by their id, too.
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
