// What a line of claude's transcript is: a row of the conversation's tree, a mark of where the conversation stands, or of no account.

import type { ContextTokens } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';

/** Enough for what a row is, up to what it holds. */
export const HEAD_BYTES = 256;

export interface ClaudeRow {
  how: 'row';
  line: number;
  uuid: string;
  /** The row that it follows; null begins a conversation. */
  parent: string | null;
  /** By a person, the model or either's tools; a rewind goes back to no row without one before it. */
  isSpoken: boolean;
  kind: 'prompt' | 'model' | 'result' | 'summary' | 'other';
  /** Of one model message, whose parts are rows of their own; null for what no model said. */
  message: string | null;
  /** Does it make calls, or answer one? */
  calls: boolean;
  /** Of the model request that it came by. */
  tokens: ContextTokens | null;
}

/** `leaf`: the last row that stands, null for none at all. `explicit`: said by a rewind, and not just noted on the way. */
export interface ClaudeMark {
  how: 'mark';
  leaf: string | null;
  explicit: boolean;
}

/** null for what is neither. */
export function readRow(table: LineTable, line: number): ClaudeRow | ClaudeMark | null {
  const head = table.head(line);
  // claude writes most of a file for itself: requests as they were sent, states, its own lists.
  if (OF_NO_ACCOUNT.test(head)) return null;
  return glance(table, line) ?? parse(line, table.text(line));
}

const OF_NO_ACCOUNT = /^\{"type":"(?!last-prompt"|user"|assistant"|attachment"|system")[\w-]+"/;

/** What tools gave back, and what claude adds, is long and need not be parsed where claude itself wrote it: a quote within its texts would be escaped. */
function glance(table: LineTable, line: number): ClaudeRow | null {
  const [written, parent, what] = WRITTEN.exec(table.head(line)) ?? [];
  if (written === undefined) return null;
  const bytes = table.raw(line);
  const at = bytes.indexOf(ID);
  const uuid = OWN_ID.exec(bytes.toString('latin1', at, at + OWN_ID_BYTES))?.[1];
  if (uuid === undefined || bytes.indexOf(ID, at + 1) !== -1) return null;
  const result = what !== 'attachment';
  return {
    how: 'row',
    line,
    uuid,
    parent: parent ?? null,
    isSpoken: result,
    kind: result ? 'result' : 'other',
    message: null,
    calls: result,
    tokens: null,
  };
}

const WRITTEN =
  /^\{"parentUuid":(?:null|"([\w-]+)"),"isSidechain":false,(?:"promptId":"[\w-]+",)?(?:"(attachment)":\{|"type":"user","message":\{"role":"user","content":\[\{(?:"tool_use_id":"[\w-]+",)?"type":"tool_result",)/;
const ID = Buffer.from('"uuid":"');
const OWN_ID = /^"uuid":"([\w-]{36})","timestamp":"/;
const OWN_ID_BYTES = 64;

function parse(line: number, text: string): ClaudeRow | ClaudeMark | null {
  const record = readRecord(text);
  if (record === null || record.isSidechain === true) return null;
  if (record.type === 'last-prompt') return markOf(record);
  const uuid = textOf(record.uuid);
  if (uuid === null || !ROWS.has(String(record.type))) return null;
  const message = fieldsOf(record.message);
  const parts = listOf(message.content);
  return {
    how: 'row',
    line,
    uuid,
    // What follows a summary begins anew, and still follows what was summed up.
    parent: textOf(record.parentUuid) ?? textOf(record.logicalParentUuid),
    isSpoken: record.type === 'user' || record.type === 'assistant',
    kind: kindOf(record, parts),
    ...(isOfAModel(record)
      ? { message: textOf(message.id), tokens: tokensOf(record) }
      : { message: null, tokens: null }),
    calls: parts.some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  };
}

const ROWS = new Set(['user', 'assistant', 'attachment', 'system']);

/** A mark without a leaf says nothing, unless it says that nothing stands. */
function markOf({ leafUuid, explicit }: Fields): ClaudeMark | null {
  const leaf = textOf(leafUuid);
  if (leaf === null && (leafUuid !== null || explicit !== true)) return null;
  return { how: 'mark', leaf, explicit: explicit === true };
}

function kindOf(record: Fields, parts: readonly Fields[]): ClaudeRow['kind'] {
  if (record.type === 'system') return record.subtype === 'compact_boundary' ? 'summary' : 'other';
  if (isOfAModel(record)) return 'model';
  if (record.type !== 'user') return 'other';
  if (parts.some(({ type }) => type === 'tool_result')) return 'result';
  return isOfAPerson(record) ? 'prompt' : 'other';
}

const isOfAModel = (record: Fields): boolean => record.type === 'assistant' && !isOfTheCli(record);

/** What it says itself in the model's place: an error, or that nothing was asked. */
export const isOfTheCli = (record: Fields): boolean => fieldsOf(record.message).model === '<synthetic>';

/** The words of a person; null for whatever else has their role. */
export function promptOf(line: string): string | null {
  const record = readRecord(line);
  return record?.type === 'user' && record.isSidechain !== true && isOfAPerson(record) ? textIn(record) : null;
}

function isOfAPerson(record: Fields): boolean {
  if (record.isMeta === true || record.isCompactSummary === true || record.promptSource === 'system') return false;
  if (listOf(fieldsOf(record.message).content).some(({ type }) => type === 'tool_result')) return false;
  return !OWN_WORDS.test(textIn(record));
}

/** A command that ran without the model and what it printed, the end of a task in the background, a key that stopped the turn. */
const OWN_WORDS =
  /^(?:<(?:command-name|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|task-notification)>|\[Request interrupted by user)/;

/** The text in a message, whole or in parts. */
export function textIn(record: Fields): string {
  return textOfContent(fieldsOf(record.message).content);
}

export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap(({ text }) => textOf(text) ?? [])
    .join('\n');
}

/** Of one model request; null where it was not counted. */
function tokensOf(record: Fields): ContextTokens | null {
  const usage = fieldsOf(fieldsOf(record.message).usage);
  const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  if (input === null || output === null) return null;
  const cached = (countOf(usage.cache_creation_input_tokens) ?? 0) + (countOf(usage.cache_read_input_tokens) ?? 0);
  return { input: input + cached, output };
}
