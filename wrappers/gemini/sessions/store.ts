// gemini's session files.

import { readRegular } from '../../regular-file.ts';
import type { SessionFile, SessionStore } from '../../sessions/store.ts';
import { readBeginning } from './beginning.ts';
import { converse, type Source } from './conversation.ts';
import { openDocument } from './document-file.ts';
import { findSession, recentSessions } from './found.ts';
import { openLineFile } from './line-file.ts';
import { indexLines } from './lines.ts';
import { userOf } from './users.ts';

export const GEMINI_SESSIONS: SessionStore = {
  tool: 'gemini',
  boundToCwd: true,
  takesLock: false,
  find: findSession,
  recent: recentSessions,
  firstPrompt: ({ file }) => readBeginning(file)?.firstPrompt ?? null,
  open: (session) => converse(openFile(session)),
  usedBy: userOf,
};

function openFile(session: SessionFile): Source {
  const lines = indexLines(session.file);
  const document = session.file.endsWith('.json') ? openDocument(session, readRegular(session.file)) : null;
  return document ?? openLineFile(session, lines);
}
