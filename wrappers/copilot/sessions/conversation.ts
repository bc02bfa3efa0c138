// Presents copilot's events as a conversation, and changes it by truncating the file, as copilot's own rewind does.

// A resume repairs what it finds: it adds a missing response, and omits a doubled or stray one (1.0.102).

import { visible } from '../../../policies/text/display.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { openSessionLines } from '../../sessions/opening.ts';
import { readRecord } from '../../sessions/record.ts';
import type { Conversation, Edit, SessionFile } from '../../sessions/store.ts';
import { HEAD_BYTES, isSubAgents, typeOf } from './event-line.ts';
import { readBegun } from './lookup.ts';
import { type CopilotEntry, foldEvents } from './standing.ts';
import { countedSoFar, lastTokens, readTurn, totalTokens } from './turns.ts';

export function openEvents(session: SessionFile): Conversation {
  const table = openTable(session);
  const { entries, counts } = foldEvents(table);
  const entryOf = (turn: number): CopilotEntry => {
    const entry = entries[turn - 1];
    if (entry === undefined) throw new RangeError(`there is no turn ${turn} among ${entries.length}`);
    return entry;
  };
  const cutBefore = (line: number): Edit =>
    line < table.count ? { how: 'cut', atByte: table.offset(line) } : { how: 'none' };
  const before = (turn: number): Edit => cutBefore(entryOf(turn).prompt);
  const afterPrompt = (turn: number): Edit => {
    const entry = entryOf(turn);
    const answered = turn < entries.length || stepsIn(table, entry).length > 0;
    return answered ? cutBefore(entry.prompt + 1) : { how: 'none' };
  };
  return {
    session,
    turns: entries.length,
    read: (from, to) => {
      const first = Math.max(1, from);
      return entries.slice(first - 1, Math.max(0, to)).map((entry, at) => readTurn(table, first + at, entry));
    },
    contextTokens: () => lastTokens(table, counts),
    totalTokens: () => totalTokens(table, counts),
    countedSoFar: () => countedSoFar(table, counts),
    flaws: (cliVersion) => (cliVersion !== null && TESTED.test(cliVersion) ? [] : null),
    repair: () => ({ how: 'none' }),
    before,
    afterPrompt,
    withoutLastStep: () => {
      const entry = entries.at(-1);
      if (entry === undefined) return { how: 'none' };
      const steps = stepsIn(table, entry);
      if (steps.length === 0) return before(entries.length);
      return steps.length === 1 ? afterPrompt(entries.length) : cutBefore(steps.at(-1)!);
    },
  };
}

/** Versions whose requests were inspected. */
const TESTED = /^1\.0\.102$/;

/** The line at which each step begins: a message of the agent itself, or the turn_start before it. */
function stepsIn(table: LineTable, { lines }: CopilotEntry): number[] {
  const steps: number[] = [];
  let start: number | null = null;
  for (const line of lines) {
    const type = typeOf(table.head(line), () => table.text(line));
    if (type !== 'assistant.turn_start' && type !== 'assistant.message') continue;
    if (isSubAgents(readRecord(table.text(line)) ?? {})) continue;
    if (type === 'assistant.turn_start') start = line;
    else {
      steps.push(start ?? line);
      start = null;
    }
  }
  return steps;
}

/** Throws SessionFileError. */
const openTable = (session: SessionFile): LineTable =>
  openSessionLines(session, HEAD_BYTES, (firstLine) => whatIsWrong(firstLine, session));

/** The version of the file format, as `version` in its first event. */
const KNOWN_FORM = 1;

function whatIsWrong(firstLine: string, { id }: SessionFile): string | null {
  const begun = readBegun(firstLine);
  if (begun === null) return 'it is no session of copilot: its first line is no session.start event';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (begun.form !== KNOWN_FORM)
    return `copilot ${brief(begun.version)} wrote it in a form that is not known here (version ${begun.form}): start a fresh session`;
  return null;
}

const brief = (text: string | null): string => visible(String(text)).slice(0, 80);
