// The format of today: a file of lines that only grows, in which a later line changes what an earlier one said.

import type { SessionFile } from '../../sessions/store.ts';
import { type Edit, SessionFileError } from '../../sessions/store.ts';
import type { Source } from './conversation.ts';
import { foldLines, isMetadata } from './fold.ts';
import type { Lines } from './lines.ts';
import { isMessage, parseRecord } from './record.ts';
import { tokensOf } from './turns.ts';

/** Throws SessionFileError for what is no session of gemini. */
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
    totalTokens: () => totalTokens(lines),
  };
}

const unknownFormat = ({ cliVersion }: SessionFile, records: number) =>
  `none of its ${records} records is of a kind that we know; gemini ${cliVersion ?? 'of an unknown version'} wrote it`;

/** Each start of the CLI begins with such a line; without one the CLI does not take the file for a session. */
function isSession(lines: Lines): boolean {
  for (let i = 0; i < lines.count; i++) {
    if (i > 0 && !lines.piece(i).head.startsWith('{"sessionId"')) continue;
    if (isMetadata(parseRecord(lines.piece(i).text()))) return true;
  }
  return false;
}

/** A message is written again and again under its id; its last tokens count. */
function totalTokens(lines: Lines): number | null {
  const totals = new Map<string, number>();
  for (let i = 0; i < lines.count; i++) {
    if (!/^\{"id":.{0,200}"type":"gemini"/.test(lines.piece(i).head)) continue;
    const record = parseRecord(lines.piece(i).text());
    const tokens = isMessage(record) ? tokensOf(record) : null;
    if (isMessage(record) && tokens) totals.set(record.id, tokens.input + tokens.output);
  }
  return totals.size === 0 ? null : [...totals.values()].reduce((sum, tokens) => sum + tokens, 0);
}
