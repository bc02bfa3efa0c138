// How a codex rollout is changed: a rollback is appended, as codex's own app does it, and what stays of its turns is said anew.
// codex 0.169 honours it when it resumes, if each record has the next ordinal.

import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, readRecord } from '../../sessions/record.ts';
import type { Edit } from '../../sessions/store.ts';
import { kindOf } from './rollout-line.ts';
import type { CodexEntry, CodexStanding } from './standing.ts';

/** What stays of an entry. */
interface KeptLines {
  entry: CodexEntry;
  /** Of those after its prompt. */
  lines: readonly number[];
}

/** Goes back to before `entry`; then what is kept, of it and of those that follow, comes again. */
export function rewind(
  table: LineTable,
  { entries, counts }: CodexStanding,
  entry: CodexEntry,
  kept: readonly KeptLines[],
): Edit {
  const at = entries.indexOf(entry);
  const last = lastNumbered(table);
  // Older versions number no records; and a rollback beyond a summary would take the answers along that are not to go.
  if (last === null || entries.slice(at).some(({ how }) => how === 'summary')) return cut(table, entry, kept);
  const rollback: Fields = {
    timestamp: last.timestamp,
    type: 'event_msg',
    payload: { type: 'thread_rolled_back', num_turns: entries.length - at },
  };
  const again = [...(kept.length === 0 && at === 0 ? surroundings(table, entry, true) : []), ...said(table, kept, at)];
  const total = fieldsOf(fieldsOf(read(table, counts.at(-1))?.payload).info).total_token_usage;
  const records = again
    .flatMap((line): Fields[] => [read(table, line)].filter((record) => record !== null))
    .map((record) => withTotal(record, total));
  return { how: 'append', text: write(table, Number(last.ordinal), [rollback, ...records]) };
}

function cut(table: LineTable, entry: CodexEntry, kept: readonly KeptLines[]): Edit {
  if (kept.length > 1)
    return {
      how: 'impossible',
      why: 'In this conversation a turn in the middle cannot be changed by itself: go back to before it, or start a fresh session.',
    };
  const line = kept.length === 0 ? entry.start - 1 : (kept[0]!.lines.at(-1) ?? entry.prompt);
  return { how: 'cut', atByte: table.offset(line + 1) };
}

function said(table: LineTable, kept: readonly KeptLines[], at: number): number[] {
  return kept.flatMap(({ entry, lines }, place) => [
    ...surroundings(table, entry, at + place === 0),
    entry.prompt,
    ...lines,
  ]);
}

/** What codex told the model of its surroundings goes with a turn that is rolled back; before the first one it stays. */
const surroundings = (table: LineTable, entry: CodexEntry, first: boolean): number[] =>
  entry.before.filter((line) => !first || kindOf(table.head(line), () => table.text(line))?.type !== 'response_item');

/** null where the last record has no ordinal. */
function lastNumbered(table: LineTable): Fields | null {
  for (let line = table.count - 1; line >= 0; line -= 1) {
    const record = read(table, line);
    if (record !== null) return countOf(record.ordinal) === null ? null : record;
  }
  return null;
}

/** codex counts on from the last total in the file: what is taken back was paid all the same. */
function withTotal(record: Fields, total: unknown): Fields {
  const payload = fieldsOf(record.payload);
  if (payload.type !== 'token_count' || total === undefined) return record;
  return { ...record, payload: { ...payload, info: { ...fieldsOf(payload.info), total_token_usage: total } } };
}

/** Half a last line is ended first: codex passes over what is no record. */
function write(table: LineTable, ordinal: number, records: readonly Fields[]): string {
  const half = table.bytes > table.offset(table.count) ? '\n' : '';
  const lines = records.map((record, at) => {
    const { timestamp, ordinal: _old, ...rest } = record;
    return `${JSON.stringify({ timestamp, ordinal: ordinal + 1 + at, ...rest })}\n`;
  });
  return half + lines.join('');
}

const read = (table: LineTable, line: number | undefined): Fields | null =>
  line === undefined ? null : readRecord(table.text(line));
