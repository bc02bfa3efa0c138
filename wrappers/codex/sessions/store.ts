// codex's session files.

import { readFirstPrompt } from '../../sessions/first-prompt.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { find, links, recent } from './lookup.ts';
import { openRollout } from './rollout.ts';
import { promptOf } from './rollout-line.ts';
import { usedBy } from './use.ts';

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
