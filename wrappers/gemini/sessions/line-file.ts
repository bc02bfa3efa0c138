// Reads the current format: an append-only file of lines, in which a later line changes what an earlier one says.

import type { SessionFile } from '../../sessions/store.ts';
import { type Edit, SessionFileError } from '../../sessions/store.ts';
import type { Source } from './conversation.ts';
import { foldLines, type GeminiEntry, isMetadata } from './fold.ts';
import type { Lines } from './lines.ts';
import { type GeminiMessage, isMessage, parseRecord } from './record.ts';
import { tokensOf } from './turns.ts';

/** Throws SessionFileError if the file is not a session of gemini. */
export function openLineFile(session: SessionFile, lines: Lines): Source {
  if (!isSession(lines)) throw new SessionFileError(session.file, 'is no session of gemini');
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

/**
 * Counts removed messages too, because they were paid for. A message is written repeatedly under its id: its last tokens count.
 */
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
