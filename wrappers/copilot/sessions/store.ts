// copilot's session files.

import { SessionFileError, type SessionStore } from '../../sessions/store.ts';

export const COPILOT_SESSIONS: SessionStore = {
  tool: 'copilot',
  boundToCwd: false,
  find: async () => null,
  recent: async () => [],
  firstPrompt: () => null,
  open: ({ file }) => {
    throw new SessionFileError(file, 'its sessions cannot be read yet');
  },
  usedBy: async () => null,
};
