// Implements the session store of gemini.

import { readRegular } from '../../../state/disk/regular-file.ts';
import type { SessionFile, SessionStore } from '../../sessions/store.ts';
import { askGemini } from './ask.ts';
import { readBeginning } from './beginning.ts';
import { converse, type Source } from './conversation.ts';
import { held } from './fold.ts';
import { findSession, recentSessions } from './found.ts';
import { openLineFile } from './line-file.ts';
import { indexLines } from './lines.ts';
import { links } from './places.ts';
import { asObject, isMessage, objectsOf } from './record.ts';
import { tokensOf } from './turns.ts';
import { namedBy, userOf } from './users.ts';

/** The limit for an old session that is one JSON document; a long conversation has tens of megabytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

export const GEMINI_SESSIONS: SessionStore = {
  tool: 'gemini',
  boundToCwd: true,
  isLocal: true,
  takesLock: false,
  find: findSession,
  recent: recentSessions,
  links,
  ask: async (lookup, say) => askGemini(lookup, say),
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

/** @returns null if this text is not such a document. */
function openDocument(session: SessionFile, text: string): Source | null {
  const document = parse(text);
  if (typeof document?.sessionId !== 'string' || !Array.isArray(document.messages)) return null;
  const list: unknown[] = document.messages;
  const messages = objectsOf(list).filter(isMessage);
  const entries = messages.map(held);
  const replaced = (messages: readonly unknown[]) =>
    ({ how: 'replace', text: JSON.stringify({ ...document, messages }, null, 2) }) as const;
  return {
    session,
    use: (read) => read(entries),
    rewrite: (repaired) =>
      replaced(list.map((old) => (isMessage(old) && repaired.find(({ id }) => id === old.id)) || old)),
    cutFrom: (message) => replaced(list.slice(0, list.indexOf(message))),
    totalTokens: () => {
      const tokens = messages.flatMap((message) => tokensOf(message) ?? []);
      return tokens.length === 0 ? null : tokens.reduce((sum, { input, output }) => sum + input + output, 0);
    },
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}
