// Reads the turns of copilot's events into the form that all CLIs share.

import type { Usage } from '../../../policies/facts/engine-event.ts';
import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';
import { isSubAgents, typeOf } from './event-line.ts';
import type { CopilotEntry } from './standing.ts';

export function readTurn(table: LineTable, number: number, { prompt, lines }: CopilotEntry): Turn {
  const event = readRecord(table.text(prompt)) ?? {};
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(event.timestamp),
    prompt: textOf(fieldsOf(event.data).content) ?? '',
    items: lines.flatMap((line) => readItems(readRecord(table.text(line)) ?? {}, names)),
    tokens: lastTokens(table, lines),
  };
}

/** The tokens of the last request of the agent itself: a subagent has its own context. */
export function lastTokens(table: LineTable, lines: readonly number[]): ContextTokens | null {
  for (const line of [...lines].reverse()) {
    if (typeOf(table.head(line), () => table.text(line)) !== 'session.usage_record') continue;
    const event = readRecord(table.text(line)) ?? {};
    const usage = fieldsOf(fieldsOf(event.data).usage);
    const [input, output] = [countOf(usage.inputTokens), countOf(usage.outputTokens)];
    const own = !isSubAgents(event) && (textOf(usage.interactionType) ?? OWN) === OWN;
    if (own && input !== null && output !== null) return { input, output };
  }
  return null;
}

const OWN = 'conversation-agent';

export function totalTokens(table: LineTable, counts: readonly number[]): number | null {
  return counts.length === 0 ? null : sumOf(table, counts).total_tokens;
}

/** The counts from which a resume continues: copilot adds up these records, however its last run ended. */
export const countedSoFar = (table: LineTable, counts: readonly number[]): Partial<Usage> => sumOf(table, counts);

function sumOf(table: LineTable, counts: readonly number[]) {
  const sum = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, total_tokens: 0 };
  for (const line of counts) {
    const usage = fieldsOf(fieldsOf(readRecord(table.text(line))?.data).usage);
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
  if (event.type === 'assistant.reasoning') return said('thought', data.content);
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
  return [...said('thought', data.reasoningText), ...said('said', data.content), ...calls];
}

const said = (how: 'said' | 'thought', text: unknown): Item[] =>
  typeof text === 'string' && text !== '' ? [{ how, text }] : [];
