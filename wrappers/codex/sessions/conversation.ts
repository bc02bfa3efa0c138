// Presents a codex rollout as a conversation, with its turns in the form that all CLIs share.

import type { ReportedUsage } from '../../../policies/facts/engine-event.ts';
import type { ContextTokens, Flaw, Item, Turn } from '../../../policies/session/conversation.ts';
import { type LineTable, openSessionLines } from '../../sessions/line-table.ts';
import { brief, countOf, type Fields, fieldsOf, textItem, textOf } from '../../sessions/record.ts';
import { type Conversation, type Edit, type SessionFile, turnsOf } from '../../sessions/store.ts';
import { doubled, findFlaws, rewind } from './edits.ts';
import { type CodexStanding, foldRollout, kindOf, linesAfter, readBegun, textIn } from './lines.ts';

export function openRollout(session: SessionFile): Conversation {
  const table = openSessionLines(session, (first) => whatIsWrong(first, session));
  const standing = foldRollout(table);
  const { entries, counts } = standing;
  const prompts = entries.filter(({ how }) => how === 'prompt');
  const { entryOf, ...turns } = turnsOf(prompts, (number, entry) =>
    readTurn(table, number, entry.prompt, linesAfter(standing, entry)),
  );
  const before = (turn: number): Edit => rewind(table, standing, entryOf(turn), []);
  const afterPrompt = (turn: number): Edit => {
    const entry = entryOf(turn);
    if (turn === prompts.length && stepsIn(table, linesAfter(standing, entry)).length === 0) return { how: 'none' };
    return rewind(table, standing, entry, [{ entry, lines: [] }]);
  };
  return {
    session,
    ...turns,
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

/** `null`: the unnamed mode of older versions. */
const KNOWN_MODES: readonly (string | null)[] = [null, 'legacy', 'paginated'];

function whatIsWrong(first: Fields | null, { id }: SessionFile): string | null {
  const begun = readBegun(first);
  if (begun === null) return 'it is not a session of codex: its first line is no session_meta record';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (!KNOWN_MODES.includes(begun.historyMode))
    return `codex ${brief(begun.version)} wrote it in a form that is not known here ("${brief(begun.historyMode)}"): start a fresh session`;
  return null;
}

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
  const { type, kind } = kindOf(table.record(line));
  if (type === 'response_item') return kind.endsWith('_output') ? 'other' : 'model';
  return kind === 'token_count' ? 'other' : null;
}

/** Does the model see it on a resume, or is it the count of what the model saw? */
function isKept(table: LineTable, line: number): boolean {
  const { type, kind } = kindOf(table.record(line));
  return type === 'response_item' || kind === 'token_count';
}

/** @param lines The lines after the prompt. */
function readTurn(table: LineTable, number: number, prompt: number, lines: readonly number[]): Turn {
  const record = fieldsOf(table.record(prompt));
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(record.timestamp),
    prompt: textIn(fieldsOf(record.payload).content),
    items: lines.flatMap((line) => readItems(fieldsOf(table.record(line)), names)),
    tokens: lastTokens(table, lines),
  };
}

/** The tokens of the last model request that was counted among these lines. */
function lastTokens(table: LineTable, lines: readonly number[]): ContextTokens | null {
  for (const line of [...lines].reverse()) {
    if (kindOf(table.record(line)).kind !== 'token_count') continue;
    const usage = fieldsOf(counted(table, line).last_token_usage);
    const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
    // After a summary codex estimates the next request's size, without its parts.
    if (input === 0 && output === 0) return { input: countOf(usage.total_tokens) ?? 0, output };
    if (input !== null && output !== null) return { input, output };
  }
  return null;
}

/** Takes the highest total, since a resume after a rollback may continue from a lower one. */
function totalTokens(table: LineTable, counts: readonly number[]): number | null {
  const totals = counts.flatMap((line) => countOf(fieldsOf(counted(table, line).total_token_usage).total_tokens) ?? []);
  return totals.length === 0 ? null : Math.max(...totals);
}

/** The counts from which the event stream of a resume continues. */
function countedSoFar(table: LineTable, counts: readonly number[]): ReportedUsage | null {
  const last = counts.at(-1);
  if (last === undefined) return null;
  const total = fieldsOf(counted(table, last).total_token_usage);
  const [input, output] = [countOf(total.input_tokens), countOf(total.output_tokens)];
  if (input === null || output === null) return null;
  const cached_tokens = countOf(total.cached_input_tokens);
  return { input_tokens: input, cached_tokens, output_tokens: output, total_tokens: input + output };
}

const counted = (table: LineTable, line: number): Fields => fieldsOf(fieldsOf(table.record(line)?.payload).info);

/** @param names of the calls so far, by their ids. */
function readItems({ type, payload }: Fields, names: Map<string, string>): Item[] {
  if (type === 'compacted') return [{ how: 'noted', text: 'codex summed up the conversation so far' }];
  const item = fieldsOf(payload);
  const kind = textOf(item.type) ?? '';
  if (kind === 'turn_aborted') return [{ how: 'noted', text: `the turn was ${textOf(item.reason) ?? 'aborted'}` }];
  if (kind === 'error') return [{ how: 'noted', text: textOf(item.message) ?? 'an error' }];
  if (kind === 'message') return textItem('said', textIn(item.content));
  if (kind === 'reasoning') return textItem('thought', textIn(item.summary));
  const id = textOf(item.call_id) ?? textOf(item.id) ?? '';
  if (kind.endsWith('_call')) {
    const name = textOf(item.name) ?? kind.slice(0, -'_call'.length);
    names.set(id, name);
    return [{ how: 'called', id, name, input: inputOf(item) }];
  }
  if (kind.endsWith('_output')) {
    const output = outputOf(item.output);
    return [{ how: 'responded', id, name: names.get(id) ?? null, output, failed: failed(item, output) }];
  }
  return [];
}

/** Functions get JSON text, the user's tools any text, and codex's own tools an action. */
const inputOf = ({ arguments: args, input, action }: Fields): string =>
  textOf(args) ?? JSON.stringify(args ?? input ?? action ?? {});

const outputOf = (output: unknown): string =>
  textIn(Array.isArray(output) || typeof output === 'string' ? output : fieldsOf(output).content);

/** codex reports a failure to the model in the text of the output. */
const failed = ({ output }: Fields, text: string): boolean =>
  fieldsOf(output).success === false ||
  /^Process exited with code [1-9]/m.test(text.slice(0, 400)) ||
  text === 'aborted';
