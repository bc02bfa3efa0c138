// Classifies the lines of claude's transcript, and finds the path of rows through its tree that is the current conversation.

import type { ContextTokens } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf } from '../../sessions/record.ts';

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
interface ClaudeMark {
  how: 'mark';
  leaf: string | null;
  explicit: boolean;
}

/** @returns null for a line that is neither. */
function readRow(line: number, record: Fields | null): ClaudeRow | ClaudeMark | null {
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
export const promptOf = (record: Fields): string | null =>
  record.type === 'user' && record.isSidechain !== true && isOfAPerson(record) ? textIn(record) : null;

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

/** A prompt and what followed it. */
interface ClaudeEntry {
  prompt: ClaudeRow;
  /** The row that it follows; null for none. */
  before: ClaudeRow | null;
  /** The parts of one model message together, then the responses to its calls. */
  rows: ClaudeRow[];
}

export interface ClaudeStanding {
  /** The last current row; null for none. */
  leaf: ClaudeRow | null;
  entries: ClaudeEntry[];
  /** The last one in the file: what is before it is no longer sent. */
  summary: ClaudeRow | null;
  /** All rows, current or not. */
  rows: readonly ClaudeRow[];
}

/** @param lines The number of lines to read. */
export function foldTranscript(table: LineTable, lines = table.count): ClaudeStanding {
  const tree = new Tree();
  for (let line = 0; line < lines; line += 1) {
    const found = readRow(line, table.record(line));
    if (found?.how === 'row') tree.add(found);
    else if (found?.how === 'mark') tree.mark(found);
  }
  return standingOf(tree);
}

class Tree {
  readonly rows = new Map<string, ClaudeRow>();
  summary: ClaudeRow | null = null;
  /** In the order of the lines. */
  readonly #order: ClaudeRow[] = [];
  #last: ClaudeRow | null = null;
  #marked: string | null = null;
  #explicit = false;
  #empty = false;

  add(row: ClaudeRow): void {
    this.#order.push(row);
    this.rows.set(row.uuid, row);
    this.#last = row;
    this.#explicit = false;
    this.#empty = false;
    if (row.kind !== 'summary') return;
    this.summary = row;
    this.#marked = null;
  }

  mark({ leaf, explicit }: ClaudeMark): void {
    this.#explicit = leaf !== null && (explicit || (this.#explicit && leaf === this.#marked));
    this.#empty = leaf === null;
    this.#marked = leaf;
  }

  /** The marked row, if a rewind marked it or the last row does not follow it; otherwise the last row. */
  leaf(): ClaudeRow | null {
    if (this.#empty) return null;
    const last = this.#last;
    const marked = this.#marked === null ? undefined : this.rows.get(this.#marked);
    if (marked === undefined || last === null || marked === last) return last;
    // If several calls were made at once, the path from the last row includes only one of them.
    const spoken = this.wayTo(marked).findLast(({ isSpoken }) => isSpoken);
    const batch = spoken?.calls === true ? spoken : marked;
    const isFollowed = () => withSiblings(this, this.wayTo(last)).some((row) => row === marked || row === batch);
    return this.#explicit || !isFollowed() ? marked : last;
  }

  /** From the first row on. */
  wayTo(leaf: ClaudeRow | null): ClaudeRow[] {
    const way = new Set<ClaudeRow>();
    for (let row = leaf; row !== null && !way.has(row); row = this.#before(row)) way.add(row);
    return [...way].reverse();
  }

  /** If its parent is missing, claude continues with the row before it. */
  #before(row: ClaudeRow): ClaudeRow | null {
    if (row.parent === null) return null;
    return this.rows.get(row.parent) ?? this.#order[this.#placeOf(row) - 1] ?? null;
  }

  #placeOf({ line }: ClaudeRow): number {
    let [from, to] = [0, this.#order.length];
    while (from < to) {
      const at = (from + to) >> 1;
      if (this.#order[at]!.line < line) from = at + 1;
      else to = at;
    }
    return from;
  }
}

function standingOf(tree: Tree): ClaudeStanding {
  const leaf = tree.leaf();
  const way = tree.wayTo(leaf);
  const places = new Map(way.map((row, at) => [row, at]));
  const firstSpoken = way.findIndex(({ isSpoken }) => isSpoken);
  const before = (at: number) => (at > firstSpoken ? way[at - 1]! : null);
  const entries: ClaudeEntry[] = [];
  for (const row of withSiblings(tree, way))
    if (row.kind === 'prompt') entries.push({ prompt: row, before: before(places.get(row)!), rows: [] });
    else entries.at(-1)?.rows.push(row);
  return { leaf, entries, summary: tree.summary, rows: [...tree.rows.values()] };
}

/** A message's calls are consecutive rows, each followed by its response. Of several, the path has only the last. */
function withSiblings(tree: Tree, way: readonly ClaudeRow[]): ClaudeRow[] {
  const rows = [...tree.rows.values()];
  const parts = groupBy(
    rows.filter(({ kind, message }) => kind === 'model' && message !== null),
    ({ message }) => message!,
  );
  const responses = groupBy(
    rows.filter(({ kind, parent }) => kind === 'result' && parent !== null),
    ({ parent }) => parent!,
  );
  const all = new Set<ClaudeRow>();
  for (const row of way) {
    if (all.has(row)) continue;
    if (row.kind !== 'model') {
      all.add(row);
      continue;
    }
    const message = row.message === null ? [row] : parts.get(row.message)!;
    for (const part of message) all.add(part);
    for (const part of message) for (const response of responses.get(part.uuid) ?? []) all.add(response);
  }
  return [...all];
}

function groupBy(rows: readonly ClaudeRow[], key: (row: ClaudeRow) => string): Map<string, ClaudeRow[]> {
  const groups = new Map<string, ClaudeRow[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group === undefined) groups.set(key(row), [row]);
    else group.push(row);
  }
  return groups;
}
