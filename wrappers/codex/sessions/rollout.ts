// Presents a codex rollout as a conversation.

import type { Flaw } from '../../../policies/session/conversation.ts';
import { visible } from '../../../policies/text/display.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { openSessionLines } from '../../sessions/opening.ts';
import type { Conversation, Edit, SessionFile } from '../../sessions/store.ts';
import { rewind } from './edits.ts';
import { doubled, findFlaws } from './flaws.ts';
import { readBegun } from './lookup.ts';
import { HEAD_BYTES, kindOf } from './rollout-line.ts';
import { type CodexEntry, type CodexStanding, foldRollout, linesAfter } from './standing.ts';
import { countedSoFar, lastTokens, readTurn, totalTokens } from './turns.ts';

export function openRollout(session: SessionFile): Conversation {
  const table = openTable(session);
  const standing = foldRollout(table);
  const { entries, counts } = standing;
  const prompts = entries.filter(({ how }) => how === 'prompt');
  const entryOf = (turn: number): CodexEntry => {
    const entry = prompts[turn - 1];
    if (entry === undefined) throw new RangeError(`there is no turn ${turn} among ${prompts.length}`);
    return entry;
  };
  const before = (turn: number): Edit => rewind(table, standing, entryOf(turn), []);
  const afterPrompt = (turn: number): Edit => {
    const entry = entryOf(turn);
    if (turn === prompts.length && stepsIn(table, linesAfter(standing, entry)).length === 0) return { how: 'none' };
    return rewind(table, standing, entry, [{ entry, lines: [] }]);
  };
  return {
    session,
    turns: prompts.length,
    read: (from, to) => {
      const first = Math.max(1, from);
      return prompts
        .slice(first - 1, Math.max(0, to))
        .map((entry, at) => readTurn(table, first + at, entry.prompt, linesAfter(standing, entry)));
    },
    contextTokens: () => {
      for (const { lines } of [...entries].reverse()) {
        const tokens = lastTokens(table, lines);
        if (tokens !== null) return tokens;
      }
      return null;
    },
    totalTokens: () => totalTokens(table, counts),
    countedSoFar: () => countedSoFar(table, counts),
    flaws: (cliVersion) => findFlaws(table, standing, cliVersion),
    repair: (flaws) => repair(table, standing, flaws),
    before,
    afterPrompt,
    withoutLastStep: () => {
      const entry = prompts.at(-1);
      if (entry === undefined) return { how: 'none' };
      const lines = linesAfter(standing, entry);
      const steps = stepsIn(table, lines);
      if (steps.length === 0) return before(prompts.length);
      const kept = lines.filter((line) => line < steps.at(-1)! && isKept(table, line));
      return rewind(table, standing, entry, [{ entry, lines: steps.length === 1 ? [] : kept }]);
    },
  };
}

/** Repeats the turns from the first flaw on, without the doubled responses. */
function repair(table: LineTable, standing: CodexStanding, flaws: readonly Flaw[]): Edit {
  const ids = new Set(flaws.flatMap((flaw) => (flaw.how === 'doubled_response' ? flaw.id : [])));
  const out = doubled(table, standing).filter(({ flaw }) => ids.has(flaw.id));
  if (out.length === 0) return { how: 'none' };
  const lines = new Set(out.map(({ line }) => line));
  const { entries } = standing;
  const from = entries.findIndex((entry) => entry.how === 'prompt' && entry.lines.some((line) => lines.has(line)));
  if (from === -1)
    return {
      how: 'impossible',
      why: 'The doubled response follows a summary in the middle of a turn: take back the last turn, or start a fresh session.',
    };
  const kept = entries
    .slice(from)
    .map((entry) => ({ entry, lines: entry.lines.filter((line) => !lines.has(line) && isKept(table, line)) }));
  return rewind(table, standing, entries[from]!, kept);
}

/** Throws SessionFileError. */
const openTable = (session: SessionFile): LineTable =>
  openSessionLines(session, HEAD_BYTES, (firstLine) => whatIsWrong(firstLine, session));

/** `null`: the unnamed mode of older versions. */
const KNOWN_MODES: readonly (string | null)[] = [null, 'legacy', 'paginated'];

function whatIsWrong(firstLine: string, { id }: SessionFile): string | null {
  const begun = readBegun(firstLine);
  if (begun === null) return 'it is no session of codex: its first line is no session_meta record';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (!KNOWN_MODES.includes(begun.historyMode))
    return `codex ${brief(begun.version)} wrote it in a form that is not known here ("${brief(begun.historyMode)}"): start a fresh session`;
  return null;
}

const brief = (text: string | null): string => visible(String(text)).slice(0, 80);

/** The line at which each step begins. @param lines of one turn. */
function stepsIn(table: LineTable, lines: readonly number[]): number[] {
  const steps: number[] = [];
  let within = false;
  for (const line of lines) {
    const made = madeBy(table, line);
    if (made === 'model' && !within) steps.push(line);
    if (made !== null) within = made === 'model';
  }
  return steps;
}

/** Responses, and the count of tokens after each request, separate the steps. */
function madeBy(table: LineTable, line: number): 'model' | 'other' | null {
  const found = kindOf(table.head(line), () => table.text(line));
  if (found?.type === 'response_item') return found.kind.endsWith('_output') ? 'other' : 'model';
  return found?.kind === 'token_count' ? 'other' : null;
}

/** Does the model see it on a resume, or is it the count of what the model saw? */
function isKept(table: LineTable, line: number): boolean {
  const found = kindOf(table.head(line), () => table.text(line));
  return found?.type === 'response_item' || found?.kind === 'token_count';
}
