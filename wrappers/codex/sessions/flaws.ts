// Finds what codex would send wrongly when it resumes a rollout.

// codex responds to a hanging call itself ("aborted") and omits a response without a call, but sends a doubled response twice.

import type { Flaw } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import { callIdOf, kindOf } from './rollout-line.ts';
import type { CodexEntry, CodexStanding } from './standing.ts';

/** Versions whose requests were inspected. */
const TESTED = /^0\.169\./;

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
    const whole = () => table.text(line);
    if (!kind.test(kindOf(table.head(line), whole)?.kind ?? '')) return [];
    const id = callIdOf(table.head(line), whole);
    return id === null ? [] : { line, id };
  });

const numberOf = ({ entries }: CodexStanding, entry: CodexEntry): number =>
  entries.slice(0, entries.indexOf(entry) + 1).filter(({ how }) => how === 'prompt').length;

const nameOf = (table: LineTable, line: number): string =>
  textOf(fieldsOf(readRecord(table.text(line))?.payload).name) ?? 'a tool';
