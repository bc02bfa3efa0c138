// Refuses a conversation as OpenAI's Responses do, in their own words.

import type { Body } from '../dialect.ts';
import { type Fields, firstTwice, listOf, textOf } from './shapes.ts';

/** @returns null if it is accepted. */
export function refusedByResponses({ input }: Body): string | null {
  if (typeof input === 'string') return null;
  const items = listOf(input);
  if (items.length === 0) return "Missing required parameter: 'input'.";
  return wrongParts(items) ?? firstDuplicate(items) ?? unanswered(items) ?? withoutCall(items) ?? looseReasoning(items);
}

/** The type of a part must match the role of its speaker. */
function wrongParts(items: readonly Fields[]): string | null {
  for (const item of items) {
    if ((item.type ?? 'message') !== 'message') continue;
    const taken = item.role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
    const wrong = listOf(item.content).find(({ type }) => !taken.includes(textOf(type)));
    if (wrong !== undefined)
      return `Invalid value: '${textOf(wrong.type)}'. Supported values are: ${taken
        .map((one) => `'${one}'`)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1')}.`;
  }
  return null;
}

function firstDuplicate(items: readonly Fields[]): string | null {
  const twice = firstTwice(items.map(({ id }) => textOf(id)).filter((id) => id !== ''));
  return twice === null
    ? null
    : `Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`;
}

function unanswered(items: readonly Fields[]): string | null {
  const open = items.find(
    (item, i) => isCall(item) && !items.slice(i + 1).some((later) => isOutput(later) && later.call_id === item.call_id),
  );
  return open === undefined ? null : `No tool output found for function call ${textOf(open.call_id)}.`;
}

/** A second result has no open call. */
function withoutCall(items: readonly Fields[]): string | null {
  const open = new Set<unknown>();
  for (const item of items) {
    if (isCall(item)) open.add(item.call_id);
    if (isOutput(item) && !open.delete(item.call_id))
      return `No tool call found for function call output with call_id ${textOf(item.call_id)}.`;
  }
  return null;
}

function looseReasoning(items: readonly Fields[]): string | null {
  const last = items.at(-1)!;
  return last.type === 'reasoning'
    ? `Item '${textOf(last.id)}' of type 'reasoning' was provided without its required following item.`
    : null;
}

/** Some of OpenAI's own tools have neither. */
const isCall = ({ type, call_id }: Fields): boolean => textOf(type).endsWith('_call') && call_id !== undefined;
const isOutput = ({ type }: Fields): boolean => textOf(type).endsWith('_output');
