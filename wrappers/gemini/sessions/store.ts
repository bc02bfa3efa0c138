// Implements the session store of gemini, and opens a session in either of its two file formats.

import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../../../policies/text/tried.ts';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { changedLately } from '../../sessions/in-use.ts';
import { type Edit, type Lookup, type SessionFile, SessionFileError, type SessionStore } from '../../sessions/store.ts';
import { converse, type Source, tokensOf } from './conversation.ts';
import { foldLines, type GeminiEntry, held, isMetadata } from './fold.ts';
import { indexLines, type Lines } from './lines.ts';
import { askGemini } from './listed.ts';
import { findSession, links, readBeginning, recentSessions } from './lookup.ts';
import { asObject, type GeminiMessage, isMessage, objectsOf, parseRecord } from './record.ts';

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

const parse = (text: string): Record<string, unknown> | null => tried(() => asObject(JSON.parse(text)));

/** Opens the current format, in which a later line changes what an earlier one says. Throws SessionFileError if the file is not a session of gemini. */
function openLineFile(session: SessionFile, lines: Lines): Source {
  if (!isSession(lines)) throw new SessionFileError(session.file, 'is not a session of gemini');
  const use = foldLines(lines);
  const { entries, unknown } = use((folded) => folded);
  if (entries.length === 0 && unknown > 0) throw new SessionFileError(session.file, unknownFormat(session, unknown));
  const append = (records: readonly unknown[]): Edit => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    return { how: 'append', text: lines.unfinished ? `\n${text}` : text };
  };
  return {
    session,
    use: (read) => use(({ entries }) => read(entries)),
    rewrite: append,
    cutFrom: ({ id }) => append([{ $rewindTo: id }]),
    totalTokens: () => use(({ entries }) => totalTokens(lines, entries)),
  };
}

const unknownFormat = ({ cliVersion }: SessionFile, records: number) =>
  `none of its ${records} records is of a kind that we know; gemini ${cliVersion ?? 'of an unknown version'} wrote it`;

/** Each start of the CLI writes such a line. The CLI does not accept a file without one as a session. */
function isSession(lines: Lines): boolean {
  for (let i = 0; i < lines.count; i++) {
    if (i > 0 && !lines.piece(i).head.startsWith('{"sessionId"')) continue;
    if (isMetadata(parseRecord(lines.piece(i).text()))) return true;
  }
  return false;
}

/** Includes removed messages, which were paid. A message is repeated under its id: its last tokens count. */
function totalTokens(lines: Lines, entries: readonly GeminiEntry[]): number | null {
  const totals = new Map<string, number>();
  const count = (message: GeminiMessage) => {
    const tokens = tokensOf(message);
    if (tokens !== null) totals.set(message.id, tokens.input + tokens.output);
  };
  for (let i = 0; i < lines.count; i++) {
    const { head, text } = lines.piece(i);
    const record = /"type":"gemini"/.test(head) ? parseRecord(text()) : null;
    if (isMessage(record)) count(record);
  }
  for (const entry of entries) if (!totals.has(entry.id) && entry.type === 'gemini') count(entry.read());
  return totals.size === 0 ? null : [...totals.values()].reduce((sum, tokens) => sum + tokens, 0);
}

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
