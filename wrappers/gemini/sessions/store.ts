// gemini's session files.

import { SessionFileError, type SessionStore } from '../../sessions/store.ts';

export const GEMINI_SESSIONS: SessionStore = {
  tool: 'gemini',
  boundToCwd: true,
  find: async () => null,
  recent: async () => [],
  firstPrompt: () => null,
  open: ({ file }) => {
    throw new SessionFileError(file, 'its sessions cannot be read yet');
  },
  usedBy: async () => null,
};
