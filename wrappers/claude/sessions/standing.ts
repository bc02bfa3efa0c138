// Finds the current rows of claude's transcript: a tree, whose path from the last row to the first is the conversation.

// claude itself continues by the same rules when it resumes; the order of the lines alone has no meaning.

import type { LineTable } from '../../sessions/line-table.ts';
import { type ClaudeMark, type ClaudeRow, readRow } from './row.ts';

/** A prompt and what followed it. */
export interface ClaudeEntry {
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
    const found = readRow(table, line);
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

/**
 * The calls of one message are consecutive rows, and each response follows its own call. If there are several, the path includes
 * only the last.
 */
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
