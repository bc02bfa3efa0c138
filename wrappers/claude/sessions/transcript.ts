// claude's transcript as a conversation, which is taken back by a mark at its end, as claude's own rewind does it: nothing is deleted.
// A resume heals what it finds: a call without a response gets one, a doubled or stray response is left out (2.1.197, 2.1.330).

import { type Conversation, type Edit, type SessionFile, SessionFileError } from '../../sessions/store.ts';
import { openTable } from './opening.ts';
import { goBackTo } from './rewind.ts';
import { type ClaudeEntry, foldTranscript } from './standing.ts';
import { contextTokens, readTurn, totalTokens } from './turns.ts';

export function openTranscript(session: SessionFile): Conversation {
  const table = openTable(session);
  const standing = foldTranscript(table);
  if (standing.rows.length === 0) throw new SessionFileError(session.file, noConversation(session, table.count));
  const { entries } = standing;
  const entryOf = (turn: number): ClaudeEntry => {
    const entry = entries[turn - 1];
    if (entry === undefined) throw new RangeError(`there is no turn ${turn} among ${entries.length}`);
    return entry;
  };
  const before = (turn: number): Edit => goBackTo(entryOf(turn).before, { table, standing, session });
  const afterPrompt = (turn: number): Edit => {
    const entry = entryOf(turn);
    const answered = turn < entries.length || stepsIn(entry).length > 0;
    return answered ? goBackTo(entry.prompt, { table, standing, session }) : { how: 'none' };
  };
  return {
    session,
    turns: entries.length,
    read: (from, to) => {
      const first = Math.max(1, from);
      return entries.slice(first - 1, Math.max(0, to)).map((entry, at) => readTurn(table, first + at, entry));
    },
    contextTokens: () => contextTokens(table, standing),
    totalTokens: () => totalTokens(standing),
    countedSoFar: () => null,
    flaws: (cliVersion) => (cliVersion !== null && TESTED.test(cliVersion) ? [] : null),
    mend: () => ({ how: 'none' }),
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

/** Versions whose requests were looked at. */
const TESTED = /^2\.1\.(?:197|330)$/;

/** The place of the row at which each model message begins, among those that follow the prompt. */
function stepsIn({ rows }: ClaudeEntry): number[] {
  const seen = new Set<string | null>();
  return rows.flatMap(({ kind, message }, at) => {
    if (kind !== 'model' || (message !== null && seen.has(message))) return [];
    seen.add(message);
    return at;
  });
}

const noConversation = ({ cliVersion }: SessionFile, records: number) =>
  `none of its ${records} records is part of a conversation; claude ${cliVersion ?? 'of an unknown version'} wrote it`;
