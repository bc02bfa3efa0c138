// Finds what codex would send wrongly when it resumes a rollout, and changes the rollout by what codex's own app appends.

// codex 0.169 applies the rollback when it resumes, if each record has the next ordinal.

import type { Flaw } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, textOf } from '../../sessions/record.ts';
import type { Edit } from '../../sessions/store.ts';
import { type CodexEntry, type CodexStanding, kindOf } from './lines.ts';

/** The part of an entry that is kept. */
interface KeptLines {
  entry: CodexEntry;
  /** The kept lines after its prompt. */
  lines: readonly number[];
}

/** Goes back to before `entry`, and then repeats what is kept of it and of the entries that follow. */
export function rewind(
  table: LineTable,
  { entries, counts }: CodexStanding,
  entry: CodexEntry,
  kept: readonly KeptLines[],
): Edit {
  const at = entries.indexOf(entry);
  const last = lastNumbered(table);
  // Older versions do not number records. And a rollback beyond a summary would also remove answers that must remain.
  if (last === null || entries.slice(at).some(({ how }) => how === 'summary')) return cut(table, entry, kept);
  const rollback: Fields = {
    timestamp: last.timestamp,
    type: 'event_msg',
    payload: { type: 'thread_rolled_back', num_turns: entries.length - at },
  };
  const again = [...(kept.length === 0 && at === 0 ? surroundings(table, entry, true) : []), ...said(table, kept, at)];
  const counted = counts.length === 0 ? null : table.record(counts.at(-1)!);
  const total = fieldsOf(fieldsOf(counted?.payload).info).total_token_usage;
  const records = again
    .flatMap((line): Fields[] => [table.record(line)].filter((record) => record !== null))
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

/** What codex reported to the model about its environment is rolled back with its turn; before the first turn it remains. */
const surroundings = (table: LineTable, entry: CodexEntry, first: boolean): number[] =>
  entry.before.filter((line) => !first || kindOf(table.record(line)).type !== 'response_item');

/** @returns null if the last record has no ordinal. */
function lastNumbered(table: LineTable): Fields | null {
  for (let line = table.count - 1; line >= 0; line -= 1) {
    const record = table.record(line);
    if (record !== null) return countOf(record.ordinal) === null ? null : record;
  }
  return null;
}

/** codex continues counting from the last total in the file: turns that are rolled back were paid for too. */
function withTotal(record: Fields, total: unknown): Fields {
  const payload = fieldsOf(record.payload);
  if (payload.type !== 'token_count' || total === undefined) return record;
  return { ...record, payload: { ...payload, info: { ...fieldsOf(payload.info), total_token_usage: total } } };
}

/** Ends an incomplete last line first: codex skips a line that is not a record. */
function write(table: LineTable, ordinal: number, records: readonly Fields[]): string {
  const half = table.bytes > table.offset(table.count) ? '\n' : '';
  const lines = records.map((record, at) => {
    const { timestamp, ordinal: _old, ...rest } = record;
    return `${JSON.stringify({ timestamp, ordinal: ordinal + 1 + at, ...rest })}\n`;
  });
  return half + lines.join('');
}

/** Versions whose requests were inspected. */
const TESTED = /^0\.(?:169|171)\./;

/** @returns null for a version whose requests were not inspected. */
export const findFlaws = (table: LineTable, standing: CodexStanding, cliVersion: string | null): Flaw[] | null =>
  cliVersion !== null && TESTED.test(cliVersion) ? doubled(table, standing).map(({ flaw }) => flaw) : null;

interface Doubled {
  flaw: Flaw;
  line: number;
}

/** Finds responses to a call that has one already. What was summed up is no longer sent. */
export function doubled(table: LineTable, standing: CodexStanding): Doubled[] {
  const { entries } = standing;
  const sent = entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ how }) => how === 'summary'),
    ),
  );
  const answered = new Set<string>();
  const again = sent.flatMap((entry) =>
    among(table, entry.lines, /_output$/).flatMap((response) => {
      if (answered.has(response.id)) return { entry, ...response };
      answered.add(response.id);
      return [];
    }),
  );
  if (again.length === 0) return [];
  const calls = new Map(sent.flatMap(({ lines }) => among(table, lines, /_call$/)).map(({ id, line }) => [id, line]));
  return again.flatMap(({ entry, line, id }) => {
    const call = calls.get(id);
    if (call === undefined) return [];
    return { line, flaw: { how: 'doubled_response', turn: numberOf(standing, entry), id, name: nameOf(table, call) } };
  });
}

/** The calls, or the responses, among these lines. */
const among = (table: LineTable, lines: readonly number[], kind: RegExp): { line: number; id: string }[] =>
  lines.flatMap((line) => {
    const record = table.record(line);
    const id = kind.test(kindOf(record).kind) ? textOf(fieldsOf(record?.payload).call_id) : null;
    return id === null ? [] : { line, id };
  });

const numberOf = ({ entries }: CodexStanding, entry: CodexEntry): number =>
  entries.slice(0, entries.indexOf(entry) + 1).filter(({ how }) => how === 'prompt').length;

const nameOf = (table: LineTable, line: number): string =>
  textOf(fieldsOf(table.record(line)?.payload).name) ?? 'a tool';
