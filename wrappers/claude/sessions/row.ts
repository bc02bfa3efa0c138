// Classifies a line of claude's transcript: a row of the conversation's tree, a mark of its current position, or neither.

import type { ContextTokens } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';

/** Enough to classify a row, up to its content. */
export const HEAD_BYTES = 256;

export interface ClaudeRow {
  how: 'row';
  line: number;
  uuid: string;
  /** The row that it follows; null begins a conversation. */
  parent: string | null;
  /** Written by a user, the model or a tool of either. The leaf of a rewind is never before the first of these. */
  isSpoken: boolean;
  kind: 'prompt' | 'model' | 'result' | 'summary' | 'other';
  /** The model message, whose parts are separate rows; null if no model wrote it. */
  message: string | null;
  /** Does it make calls, or respond to one? */
  calls: boolean;
  /** The tokens of the model request that produced it. */
  tokens: ContextTokens | null;
}

/** `leaf`: the last current row, null for none. `explicit`: set by a rewind, and not just recorded in passing. */
export interface ClaudeMark {
  how: 'mark';
  leaf: string | null;
  explicit: boolean;
}

/** @returns null for a line that is neither. */
export function readRow(table: LineTable, line: number): ClaudeRow | ClaudeMark | null {
  const head = table.head(line);
  // Most of a file is claude's own data: requests as they were sent, states, its own lists.
  if (OF_NO_ACCOUNT.test(head)) return null;
  return glance(table, line) ?? parse(line, table.text(line));
}

const OF_NO_ACCOUNT = /^\{"type":"(?!last-prompt"|user"|assistant"|attachment"|system")[\w-]+"/;

/**
 * Tool results and claude's additions are long, and need not be parsed if claude itself wrote them: a quote within their texts
 * would be escaped.
 */
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
    // What follows a summary starts a new conversation, and still follows what was summed up.
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

/** A mark without a leaf has no meaning, unless it states that no row is current. */
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

/** What the CLI writes instead of the model: an error, or that no response was requested. */
export const isOfTheCli = (record: Fields): boolean => fieldsOf(record.message).model === '<synthetic>';

/** The text of a user; null for anything else in the user's role. */
export function promptOf(line: string): string | null {
  const record = readRecord(line);
  return record?.type === 'user' && record.isSidechain !== true && isOfAPerson(record) ? textIn(record) : null;
}

function isOfAPerson(record: Fields): boolean {
  if (record.isMeta === true || record.isCompactSummary === true || record.promptSource === 'system') return false;
  if (listOf(fieldsOf(record.message).content).some(({ type }) => type === 'tool_result')) return false;
  return !OWN_WORDS.test(textIn(record));
}

/** A command that ran without the model and its output, the end of a background task, a key that stopped the turn. */
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

/** The tokens of one model request; null if they were not counted. */
function tokensOf(record: Fields): ContextTokens | null {
  const usage = fieldsOf(fieldsOf(record.message).usage);
  const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  if (input === null || output === null) return null;
  const cached = (countOf(usage.cache_creation_input_tokens) ?? 0) + (countOf(usage.cache_read_input_tokens) ?? 0);
  return { input: input + cached, output };
}
