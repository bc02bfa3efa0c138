// What codex would send wrongly when it resumes a rollout. It answers a hanging call itself ("aborted") and leaves out a
// response without a call, but it sends a doubled response twice.

import type { Flaw } from '../../../policies/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import { callIdOf, kindOf } from './rollout-line.ts';
import { linesAfter, type Standing } from './standing.ts';

/** Versions whose requests were looked at. */
const TESTED = /^0\.169\./;

/** null for a version whose requests nobody looked at. */
export const findFlaws = (table: LineTable, standing: Standing, cliVersion: string | null): Flaw[] | null =>
  cliVersion !== null && TESTED.test(cliVersion) ? doubled(table, standing).map(({ flaw }) => flaw) : null;

export interface Doubled {
  flaw: Flaw;
  line: number;
}

/** A response to a call that has one already; what was summed up is not sent any more. */
export function doubled(table: LineTable, standing: Standing): Doubled[] {
  const { entries } = standing;
  const from = entries.findLastIndex(({ how }) => how === 'summary');
  const calls = new Map<string, number>();
  const answered = new Set<string>();
  const found: Doubled[] = [];
  let turn = entries.slice(0, from + 1).filter(({ how }) => how === 'prompt').length;
  const kept = entries.slice(Math.max(0, from));
  for (const entry of kept) {
    if (entry.how === 'prompt') turn += 1;
    for (const line of entry.how === 'prompt' ? linesAfter(standing, entry) : entry.lines) {
      const whole = () => table.text(line);
      const kind = kindOf(table.head(line), whole)?.kind ?? '';
      if (!/_(?:call|output)$/.test(kind)) continue;
      const id = callIdOf(table.head(line), whole);
      if (id === null) continue;
      if (kind.endsWith('_call')) calls.set(id, line);
      else if (answered.has(id) && calls.has(id))
        found.push({ line, flaw: { how: 'doubled_response', turn, id, name: nameOf(table, calls.get(id)!) } });
      else answered.add(id);
    }
  }
  return found;
}

const nameOf = (table: LineTable, line: number): string =>
  textOf(fieldsOf(readRecord(table.text(line))?.payload).name) ?? 'a tool';
