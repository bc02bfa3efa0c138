// gemini's session files.

import { readRegular } from '../../../state/disk/regular-file.ts';
import type { SessionFile, SessionStore } from '../../sessions/store.ts';
import { readBeginning } from './beginning.ts';
import { converse, type Source } from './conversation.ts';
import { openDocument } from './document-file.ts';
import { findSession, recentSessions } from './found.ts';
import { openLineFile } from './line-file.ts';
import { indexLines } from './lines.ts';
import { links } from './places.ts';
import { namedBy, userOf } from './users.ts';

/** Of an old session that is one JSON document; a long conversation has tens of megabytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

export const GEMINI_SESSIONS: SessionStore = {
  tool: 'gemini',
  boundToCwd: true,
  isLocal: true,
  takesLock: false,
  find: findSession,
  recent: recentSessions,
  links,
  ask: async (lookup, say) => (await import('./ask.ts')).askGemini(lookup, say),
  firstPrompt: ({ file }) => readBeginning(file)?.firstPrompt ?? null,
  open: (session) => converse(openFile(session)),
  // Within a text the quotes would be escaped.
  renamed: (text, from, to) => text.replaceAll(`"sessionId":"${from}"`, `"sessionId":"${to}"`),
  usedBy: userOf,
  namedBy,
};

function openFile(session: SessionFile): Source {
  const lines = indexLines(session.file);
  const document = session.file.endsWith('.json')
    ? openDocument(session, readRegular(session.file, MAX_DOCUMENT_BYTES))
    : null;
  return document ?? openLineFile(session, lines);
}
