// Presents copilot's events as a conversation, and changes it by truncating the file, as copilot's own rewind does.

// A resume repairs what it finds: it adds a missing response, and omits a doubled or stray one (1.0.102).

import type { ReportedUsage } from '../../../policies/facts/engine-event.ts';
import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import { type LineTable, openSessionLines } from '../../sessions/line-table.ts';
import { brief, countOf, type Fields, fieldsOf, listOf, textItem, textOf } from '../../sessions/record.ts';
import { type Conversation, type Edit, type SessionFile, turnsOf } from '../../sessions/store.ts';
import { foldEvents, isSubAgents, readBegun } from './lines.ts';

export function openEvents(session: SessionFile): Conversation {
  const table = openSessionLines(session, (first) => whatIsWrong(first, session));
  const { entries, counts } = foldEvents(table);
  const { entryOf, ...turns } = turnsOf(entries, (number, entry) => readTurn(table, number, entry));
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
    ...turns,
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
function stepsIn(table: LineTable, { lines }: { lines: number[] }): number[] {
  const steps: number[] = [];
  let start: number | null = null;
  for (const line of lines) {
    const event = fieldsOf(table.record(line));
    if (isSubAgents(event)) continue;
    if (event.type === 'assistant.turn_start') start = line;
    else if (event.type === 'assistant.message') {
      steps.push(start ?? line);
      start = null;
    }
  }
  return steps;
}

/** The version of the file format, as `version` in its first event. */
const KNOWN_FORM = 1;

function whatIsWrong(first: Fields | null, { id }: SessionFile): string | null {
  const begun = readBegun(first);
  if (begun === null) return 'it is not a session of copilot: its first line is no session.start event';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (begun.form !== KNOWN_FORM)
    return `copilot ${brief(begun.version)} wrote it in a form that is not known here (version ${begun.form}): start a fresh session`;
  return null;
}

function readTurn(table: LineTable, number: number, { prompt, lines }: { prompt: number; lines: number[] }): Turn {
  const event = fieldsOf(table.record(prompt));
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(event.timestamp),
    prompt: textOf(fieldsOf(event.data).content) ?? '',
    items: lines.flatMap((line) => readItems(fieldsOf(table.record(line)), names)),
    tokens: lastTokens(table, lines),
  };
}

/** The tokens of the last request of the agent itself: a subagent has its own context. */
function lastTokens(table: LineTable, lines: readonly number[]): ContextTokens | null {
  for (const line of [...lines].reverse()) {
    const event = fieldsOf(table.record(line));
    if (event.type !== 'session.usage_record') continue;
    const usage = fieldsOf(fieldsOf(event.data).usage);
    const [input, output] = [countOf(usage.inputTokens), countOf(usage.outputTokens)];
    const own = !isSubAgents(event) && (textOf(usage.interactionType) ?? OWN) === OWN;
    if (own && input !== null && output !== null) return { input, output };
  }
  return null;
}

const OWN = 'conversation-agent';

function totalTokens(table: LineTable, counts: readonly number[]): number | null {
  return counts.length === 0 ? null : sumOf(table, counts).total_tokens;
}

/** The counts from which a resume continues: copilot adds up these records, however its last run ended. */
const countedSoFar = (table: LineTable, counts: readonly number[]): ReportedUsage => sumOf(table, counts);

function sumOf(table: LineTable, counts: readonly number[]) {
  const sum = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, total_tokens: 0 };
  for (const line of counts) {
    const usage = fieldsOf(fieldsOf(table.record(line)?.data).usage);
    const [input, output] = [countOf(usage.inputTokens) ?? 0, countOf(usage.outputTokens) ?? 0];
    sum.input_tokens += input;
    sum.output_tokens += output;
    sum.cached_tokens += countOf(usage.cacheReadTokens) ?? 0;
    sum.total_tokens += input + output;
  }
  return sum;
}

/** @param names of the calls so far, by their ids. */
function readItems(event: Fields, names: Map<string, string>): Item[] {
  if (isSubAgents(event)) return [];
  const data = fieldsOf(event.data);
  if (event.type === 'assistant.message') return readMessage(data, names);
  if (event.type === 'assistant.reasoning') return textItem('thought', data.content);
  if (event.type === 'abort')
    return [{ how: 'noted', text: `the turn was aborted (${textOf(data.reason) ?? 'no reason given'})` }];
  if (event.type === 'session.compaction_complete')
    return [{ how: 'noted', text: 'copilot summed up the conversation so far' }];
  if (event.type === 'session.error' || event.type === 'session.warning')
    return [{ how: 'noted', text: textOf(data.message) ?? 'an error' }];
  if (event.type !== 'tool.execution_complete') return [];
  const id = textOf(data.toolCallId) ?? '';
  const output = textOf(fieldsOf(data.result).content) ?? textOf(fieldsOf(data.error).message) ?? '';
  return [{ how: 'responded', id, name: names.get(id) ?? null, output, failed: data.success === false }];
}

function readMessage(data: Fields, names: Map<string, string>): Item[] {
  const calls = listOf(data.toolRequests).map((request): Item => {
    const [id, name] = [textOf(request.toolCallId) ?? '', textOf(request.name) ?? ''];
    names.set(id, name);
    return { how: 'called', id, name, input: JSON.stringify(request.arguments ?? {}) };
  });
  return [...textItem('thought', data.reasoningText), ...textItem('said', data.content), ...calls];
}
