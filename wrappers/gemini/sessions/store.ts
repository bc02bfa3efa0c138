// Implements the session store of gemini, and opens a session in either of its two file formats.

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../../../policies/text/tried.ts';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { changedLately } from '../../sessions/in-use.ts';
import { type LineTable, openLines } from '../../sessions/line-table.ts';
import { type Edit, type Lookup, type SessionFile, SessionFileError, type SessionStore } from '../../sessions/store.ts';
import { converse, type Source, tokensOf } from './conversation.ts';
import { foldLines, sumOf } from './fold.ts';
import { askGemini } from './listed.ts';
import { findSession, links, readBeginning, recentSessions } from './lookup.ts';
import { asObject, isMessage, objectsOf } from './record.ts';

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
  const table = open(session.file);
  const document = session.file.endsWith('.json')
    ? openDocument(session, readRegular(session.file, MAX_DOCUMENT_BYTES))
    : null;
  return document ?? openLineFile(session, table);
}

function open(file: string): LineTable {
  try {
    if (!lstatSync(file).isFile()) throw new Error('is not a regular file');
    return openLines(file);
  } catch (error) {
    throw new SessionFileError(file, (error as Error).message);
  }
}

/** @returns null if this text is not such a document. */
function openDocument(session: SessionFile, text: string): Source | null {
  const document = tried(() => asObject(JSON.parse(text)));
  if (typeof document?.sessionId !== 'string' || !Array.isArray(document.messages)) return null;
  const list: unknown[] = document.messages;
  const messages = objectsOf(list).filter(isMessage);
  const replaced = (messages: readonly unknown[]) =>
    ({ how: 'replace', text: JSON.stringify({ ...document, messages }, null, 2) }) as const;
  return {
    session,
    messages,
    rewrite: (repaired) =>
      replaced(list.map((old) => (isMessage(old) && repaired.find(({ id }) => id === old.id)) || old)),
    cutFrom: (message) => replaced(list.slice(0, list.indexOf(message))),
    totalTokens: sumOf(messages.flatMap((message) => tokensOf(message) ?? [])),
  };
}

/** Opens the current format, in which a later line changes what an earlier one says. Throws SessionFileError if the file is not a session of gemini. */
function openLineFile(session: SessionFile, table: LineTable): Source {
  const { isSession, messages, unknown, totalTokens } = foldLines(table);
  if (!isSession) throw new SessionFileError(session.file, 'is not a session of gemini');
  if (messages.length === 0 && unknown > 0) throw new SessionFileError(session.file, unknownFormat(session, unknown));
  const half = table.bytes > table.offset(table.count) ? '\n' : '';
  const append = (records: readonly unknown[]): Edit => ({
    how: 'append',
    text: half + records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  });
  return { session, messages, rewrite: append, cutFrom: ({ id }) => append([{ $rewindTo: id }]), totalTokens };
}

const unknownFormat = ({ cliVersion }: SessionFile, records: number) =>
  `none of its ${records} records is of a kind that we know; gemini ${cliVersion ?? 'of an unknown version'} wrote it`;

/**
 * Called before a user's edit. A caller that has just ended its own gemini call in that session, and still holds the session's
 * turn, need not call this. Its own call changed the file.
 */
async function userOf(session: SessionFile, lookup: Lookup, now: Date): Promise<string | null> {
  // It writes nothing while it waits for its model.
  const lately = changedLately(session, now);
  if (lately !== null) return lately;
  const pid = geminiIn(session.cwd ?? lookup.cwd);
  return pid === null ? null : `gemini runs in its folder (process ${pid})`;
}

/** Half a sentence about a gemini that resumes this session, or null. It has no lock: its command line shows it. */
function namedBy({ id, cwd }: SessionFile, lookup: Lookup): string | null {
  const pid = geminiIn(cwd ?? lookup.cwd, (words) => words.some((word) => word === id || word.endsWith(`=${id}`)));
  return pid === null ? null : `gemini was started with it (process ${pid})`;
}

/** Only Linux shows a process's working folder without a further program; elsewhere only the file's time counts. */
function geminiIn(cwd: string, fits: (words: readonly string[]) => boolean = () => true): number | null {
  if (process.platform !== 'linux') return null;
  const folder = tried(() => realpathSync(cwd));
  const pids = (tried(() => readdirSync('/proc')) ?? []).map(Number).filter((pid) => pid > 0);
  const found = pids.find(
    (pid) =>
      tried(() => readlinkSync(`/proc/${pid}/cwd`)) === folder && isGemini(argumentsOf(pid)) && fits(argumentsOf(pid)),
  );
  return folder === null ? null : (found ?? null);
}

const argumentsOf = (pid: number): string[] =>
  (tried(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').split('\0');

/** The program itself, or the script that node runs, after some flags; the words of a prompt come later. */
const isGemini = (words: readonly string[]): boolean =>
  words
    .slice(0, 6)
    .some(
      (word, at) =>
        word.includes('/@google/gemini-cli/') ||
        (path.basename(word) === 'gemini' && (at === 0 || path.isAbsolute(word))),
    );
