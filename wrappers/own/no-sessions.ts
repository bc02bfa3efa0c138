// The session files of a CLI that a project describes: none are known, so each session is taken at its word.

import type { Tool } from '../../policies/facts/tools.ts';
import { SessionFileError, type SessionStore } from '../sessions/store.ts';

export const noSessions = (tool: Tool): SessionStore => ({
  tool,
  boundToCwd: false,
  isLocal: false,
  takesLock: false,
  find: async () => null,
  recent: async () => [],
  links: () => [],
  ask: null,
  firstPrompt: () => null,
  open: ({ file }) => {
    throw new SessionFileError(file, `the sessions of ${tool} are its own: nothing is known of their files`);
  },
  renamed: null,
  usedBy: async () => null,
});
