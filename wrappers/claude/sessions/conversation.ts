// Presents claude's transcript as a conversation, and rewinds it by a mark at its end, as claude does, without deleting.

// A resume repairs what it finds: it adds a missing response, and omits a doubled or stray one (2.1.197, 2.1.330).

import { compareVersions } from '../../../policies/manifest/tested-versions.ts';
import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import { type LineTable, openSessionLines } from '../../sessions/line-table.ts';
import { brief, countOf, type Fields, fieldsOf, listOf, textItem, textOf } from '../../sessions/record.ts';
import { type Conversation, type Edit, type SessionFile, SessionFileError, turnsOf } from '../../sessions/store.ts';
import { type ClaudeRow, type ClaudeStanding, foldTranscript, isOfTheCli, textIn, textOfContent } from './lines.ts';

export function openTranscript(session: SessionFile): Conversation {
  const table = openSessionLines(session, (first) => whatIsWrong(first, session));
  const standing = foldTranscript(table);
  if (standing.rows.length === 0) throw new SessionFileError(session.file, noConversation(session, table.count));
  const { entries } = standing;
  const { entryOf, ...turns } = turnsOf(entries, (number, entry) => readTurn(table, number, entry));
  const before = (turn: number): Edit => goBackTo(entryOf(turn).before, { table, standing, session });
  const afterPrompt = (turn: number): Edit => {
    const entry = entryOf(turn);
    const answered = turn < entries.length || stepsIn(entry).length > 0;
    return answered ? goBackTo(entry.prompt, { table, standing, session }) : { how: 'none' };
  };
  return {
    session,
    ...turns,
    contextTokens: () => contextTokens(table, standing),
    totalTokens: () => totalTokens(standing),
    countedSoFar: () => null,
    flaws: (cliVersion) => (cliVersion !== null && TESTED.test(cliVersion) ? [] : null),
    repair: () => ({ how: 'none' }),
    before,
    afterPrompt,
    withoutLastStep: () => {
      const entry = entries.at(-1);
      if (entry === undefined) return { how: 'none' };
      const steps = stepsIn(entry);
      if (steps.length === 0) return before(entries.length);
      if (steps.length === 1) return afterPrompt(entries.length);
      return goBackTo(entry.rows[steps.at(-1)! - 1]!, { table, standing, session });
    },
  };
}

/** Versions whose requests were inspected. */
const TESTED = /^2\.1\.(?:197|330|332)$/;

/** The index of the row at which each model message begins, among those that follow the prompt. */
function stepsIn({ rows }: { rows: ClaudeRow[] }): number[] {
  const seen = new Set<string | null>();
  return rows.flatMap(({ kind, message }, at) => {
    if (kind !== 'model' || (message !== null && seen.has(message))) return [];
    seen.add(message);
    return at;
  });
}

const noConversation = ({ cliVersion }: SessionFile, records: number) =>
  `none of its ${records} records is part of a conversation; claude ${cliVersion ?? 'of an unknown version'} wrote it`;

function whatIsWrong(record: Fields | null, { id }: SessionFile): string | null {
  const holds = textOf(record?.sessionId);
  if (textOf(record?.type) === null || holds === null)
    return 'it is not a session of claude: its first line is not a record of one';
  if (holds !== id) return `it holds the session ${brief(holds)}, not ${id}`;
  return null;
}

/** To change claude's transcript, a mark at its end names the last current row, as claude's own rewind writes it. */
interface Marked {
  table: LineTable;
  standing: ClaudeStanding;
  session: SessionFile;
}

/** @param leaf The last row to keep; null for none. */
function goBackTo(leaf: ClaudeRow | null, marked: Marked): Edit {
  const { table, standing, session } = marked;
  // After a summary claude keeps none of the summed-up rows that a mark could name.
  const isSummedUp = leaf !== null && standing.summary !== null && leaf.line < standing.summary.line;
  if (isSummedUp || !readsMarks(marked)) return cutBehind(leaf, marked);
  const mark = { type: 'last-prompt', leafUuid: leaf?.uuid ?? null, explicit: true, sessionId: session.id };
  const half = table.bytes > table.offset(table.count) ? '\n' : '';
  return { how: 'append', text: `${half}${JSON.stringify(mark)}\n` };
}

/** Older versions continue from the last row of the file (2.1.100). The version that wrote last will probably read next. */
function readsMarks({ table, standing }: Marked): boolean {
  const last = standing.rows.at(-1);
  const version = last === undefined ? null : textOf(read(table, last).version);
  return version === null || compareVersions(version, FIRST_TO_READ_MARKS) >= 0;
}

/** The oldest version that was seen to follow a mark. */
const FIRST_TO_READ_MARKS = '2.1.197';

function cutBehind(leaf: ClaudeRow | null, { table }: Marked): Edit {
  if (leaf === null)
    return {
      how: 'impossible',
      why: `Nothing would remain that a claude before ${FIRST_TO_READ_MARKS} can resume: start a fresh session instead.`,
    };
  const lines = leaf.line + 1;
  if (foldTranscript(table, lines).leaf?.uuid === leaf.uuid) return { how: 'cut', atByte: table.offset(lines) };
  return {
    how: 'impossible',
    why: 'What is to stand was summed up, and is not the last of what was said by then: start a fresh session instead.',
  };
}

function readTurn(table: LineTable, number: number, { prompt, rows }: { prompt: ClaudeRow; rows: ClaudeRow[] }): Turn {
  const record = read(table, prompt);
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(record.timestamp),
    prompt: textIn(record),
    items: rows.flatMap((row) => readItems(read(table, row), names)),
    tokens: lastTokens(table, rows),
  };
}

/** The tokens of the last model request among these rows; after a summary, its size as claude reports it. */
function lastTokens(table: LineTable, rows: readonly ClaudeRow[]): ContextTokens | null {
  for (const row of [...rows].reverse()) {
    if (row.kind === 'summary') {
      const input = countOf(fieldsOf(read(table, row).compactMetadata).postTokens);
      if (input !== null) return { input, output: 0 };
    }
    if (row.tokens !== null) return row.tokens;
  }
  return null;
}

function contextTokens(table: LineTable, { entries }: ClaudeStanding): ContextTokens | null {
  for (const { rows } of [...entries].reverse()) {
    const tokens = lastTokens(table, rows);
    if (tokens !== null) return tokens;
  }
  return null;
}

/** Includes removed rows, which were paid. The parts of a message are separate rows with the same count. */
function totalTokens({ rows }: ClaudeStanding): number | null {
  const totals = new Map(rows.map(({ message, tokens }) => [message, tokens]));
  const counted = [...totals.values()].filter((tokens) => tokens !== null);
  return counted.length === 0 ? null : counted.reduce((sum, { input, output }) => sum + input + output, 0);
}

const read = (table: LineTable, { line }: ClaudeRow): Fields => fieldsOf(table.record(line));

/** @param names of the calls so far, by their ids. */
function readItems(record: Fields, names: Map<string, string>): Item[] {
  if (record.type === 'assistant') return isOfTheCli(record) ? noted(record) : readMessage(record, names);
  if (record.type === 'system') return record.subtype === 'compact_boundary' ? SUMMED_UP : noted(record);
  if (record.type !== 'user' || record.isCompactSummary === true) return [];
  const responses = listOf(fieldsOf(record.message).content).flatMap((part) => readResponse(part, names));
  return responses.length > 0 ? responses : noted(record);
}

const SUMMED_UP: Item[] = [{ how: 'noted', text: 'claude summed up the conversation so far' }];

function noted(record: Fields): Item[] {
  const text = textIn(record) || (textOf(record.content) ?? '');
  return text === '' || OF_NO_ACCOUNT.test(text) ? [] : [{ how: 'noted', text }];
}

/** Written instead of an answer that never came, and before the output of a command. */
const OF_NO_ACCOUNT = /^(?:No response requested\.$|<local-command-caveat>)/;

function readMessage(record: Fields, names: Map<string, string>): Item[] {
  return listOf(fieldsOf(record.message).content).flatMap((part): Item[] => {
    if (part.type === 'text') return textItem('said', part.text);
    if (part.type === 'thinking') return textItem('thought', part.thinking);
    if (part.type !== 'tool_use' && part.type !== 'server_tool_use') return readResponse(part, names);
    const [id, name] = [textOf(part.id) ?? '', textOf(part.name) ?? ''];
    names.set(id, name);
    return [{ how: 'called', id, name, input: JSON.stringify(part.input ?? {}) }];
  });
}

function readResponse(part: Fields, names: Map<string, string>): Item[] {
  const id = textOf(part.tool_use_id);
  if (id === null) return [];
  const output = textOfContent(part.content);
  return [{ how: 'responded', id, name: names.get(id) ?? null, output, failed: part.is_error === true }];
}
