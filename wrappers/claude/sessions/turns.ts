// Reads the turns of claude's transcript into the form that all CLIs share.

import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';
import { type ClaudeRow, isOfTheCli, textIn, textOfContent } from './row.ts';
import type { ClaudeEntry, ClaudeStanding } from './standing.ts';

export function readTurn(table: LineTable, number: number, { prompt, rows }: ClaudeEntry): Turn {
  const record = read(table, prompt);
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(record.timestamp),
    prompt: textIn(record),
    items: rows.flatMap((row) => readItems(read(table, row), names)),
    tokens: lastTokens(table, rows),
  };
}

/** The tokens of the last model request among these rows; after a summary, its size as claude reports it. */
function lastTokens(table: LineTable, rows: readonly ClaudeRow[]): ContextTokens | null {
  for (const row of [...rows].reverse()) {
    if (row.kind === 'summary') {
      const input = countOf(fieldsOf(read(table, row).compactMetadata).postTokens);
      if (input !== null) return { input, output: 0 };
    }
    if (row.tokens !== null) return row.tokens;
  }
  return null;
}

export function contextTokens(table: LineTable, { entries }: ClaudeStanding): ContextTokens | null {
  for (const { rows } of [...entries].reverse()) {
    const tokens = lastTokens(table, rows);
    if (tokens !== null) return tokens;
  }
  return null;
}

/**
 * Counts removed rows too, because they were paid for. The parts of one message are separate rows, and each has the same count.
 */
export function totalTokens({ rows }: ClaudeStanding): number | null {
  const totals = new Map(rows.map(({ message, tokens }) => [message, tokens]));
  const counted = [...totals.values()].filter((tokens) => tokens !== null);
  return counted.length === 0 ? null : counted.reduce((sum, { input, output }) => sum + input + output, 0);
}

const read = (table: LineTable, { line }: ClaudeRow): Fields => readRecord(table.text(line)) ?? {};

/** @param names of the calls so far, by their ids. */
function readItems(record: Fields, names: Map<string, string>): Item[] {
  if (record.type === 'assistant') return isOfTheCli(record) ? noted(record) : readMessage(record, names);
  if (record.type === 'system') return record.subtype === 'compact_boundary' ? SUMMED_UP : noted(record);
  if (record.type !== 'user' || record.isCompactSummary === true) return [];
  const responses = listOf(fieldsOf(record.message).content).flatMap((part) => readResponse(part, names));
  return responses.length > 0 ? responses : noted(record);
}

const SUMMED_UP: Item[] = [{ how: 'noted', text: 'claude summed up the conversation so far' }];

function noted(record: Fields): Item[] {
  const text = textIn(record) || (textOf(record.content) ?? '');
  return text === '' || OF_NO_ACCOUNT.test(text) ? [] : [{ how: 'noted', text }];
}

/** Written instead of an answer that never came, and before the output of a command. */
const OF_NO_ACCOUNT = /^(?:No response requested\.$|<local-command-caveat>)/;

function readMessage(record: Fields, names: Map<string, string>): Item[] {
  return listOf(fieldsOf(record.message).content).flatMap((part): Item[] => {
    if (part.type === 'text') return said('said', part.text);
    if (part.type === 'thinking') return said('thought', part.thinking);
    if (part.type !== 'tool_use' && part.type !== 'server_tool_use') return readResponse(part, names);
    const [id, name] = [textOf(part.id) ?? '', textOf(part.name) ?? ''];
    names.set(id, name);
    return [{ how: 'called', id, name, input: JSON.stringify(part.input ?? {}) }];
  });
}

function readResponse(part: Fields, names: Map<string, string>): Item[] {
  const id = textOf(part.tool_use_id);
  if (id === null) return [];
  const output = textOfContent(part.content);
  return [{ how: 'responded', id, name: names.get(id) ?? null, output, failed: part.is_error === true }];
}

const said = (how: 'said' | 'thought', text: unknown): Item[] =>
  typeof text === 'string' && text !== '' ? [{ how, text }] : [];
