// Reads the turns of a codex rollout into the form that all CLIs share.

import type { Usage } from '../../../policies/facts/engine-event.ts';
import type { ContextTokens, Item, Turn } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import { kindOf, textIn } from './rollout-line.ts';

/** @param lines The lines after the prompt. */
export function readTurn(table: LineTable, number: number, prompt: number, lines: readonly number[]): Turn {
  const record = readRecord(table.text(prompt)) ?? {};
  const names = new Map<string, string>();
  return {
    number,
    at: textOf(record.timestamp),
    prompt: textIn(fieldsOf(record.payload).content),
    items: lines.flatMap((line) => readItems(readRecord(table.text(line)) ?? {}, names)),
    tokens: lastTokens(table, lines),
  };
}

/** The tokens of the last model request that was counted among these lines. */
export function lastTokens(table: LineTable, lines: readonly number[]): ContextTokens | null {
  for (const line of [...lines].reverse()) {
    if (kindOf(table.head(line), () => table.text(line))?.kind !== 'token_count') continue;
    const usage = fieldsOf(counted(table, line).last_token_usage);
    const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
    // After a summary codex estimates the next request's size, without its parts.
    if (input === 0 && output === 0) return { input: countOf(usage.total_tokens) ?? 0, output };
    if (input !== null && output !== null) return { input, output };
  }
  return null;
}

/** Takes the highest total, since a resume after a rollback may continue from a lower one. */
export function totalTokens(table: LineTable, counts: readonly number[]): number | null {
  const totals = counts.flatMap((line) => countOf(fieldsOf(counted(table, line).total_token_usage).total_tokens) ?? []);
  return totals.length === 0 ? null : Math.max(...totals);
}

/** The counts from which the event stream of a resume continues. */
export function countedSoFar(table: LineTable, counts: readonly number[]): Partial<Usage> | null {
  const last = counts.at(-1);
  if (last === undefined) return null;
  const total = fieldsOf(counted(table, last).total_token_usage);
  const [input, output] = [countOf(total.input_tokens), countOf(total.output_tokens)];
  if (input === null || output === null) return null;
  const cached_tokens = countOf(total.cached_input_tokens);
  return { input_tokens: input, cached_tokens, output_tokens: output, total_tokens: input + output };
}

const counted = (table: LineTable, line: number): Fields =>
  fieldsOf(fieldsOf(readRecord(table.text(line))?.payload).info);

/** @param names of the calls so far, by their ids. */
function readItems({ type, payload }: Fields, names: Map<string, string>): Item[] {
  if (type === 'compacted') return [{ how: 'noted', text: 'codex summed up the conversation so far' }];
  const item = fieldsOf(payload);
  const kind = textOf(item.type) ?? '';
  if (kind === 'turn_aborted') return [{ how: 'noted', text: `the turn was ${textOf(item.reason) ?? 'aborted'}` }];
  if (kind === 'error') return [{ how: 'noted', text: textOf(item.message) ?? 'an error' }];
  if (kind === 'message') return said('said', textIn(item.content));
  if (kind === 'reasoning') return said('thought', textIn(item.summary));
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

const said = (how: 'said' | 'thought', text: string): Item[] => (text === '' ? [] : [{ how, text }]);

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
