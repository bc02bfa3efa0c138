// Refuses a conversation as OpenAI's Chat Completions do, in their own words.

import type { Body } from '../dialect.ts';
import { type Fields, firstTwice, listOf, textOf } from './shapes.ts';

/** @returns null if it is accepted. */
export function refusedByChat({ messages }: Body): string | null {
  const all = listOf(messages);
  if (all.length === 0)
    return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
  for (const [i, message] of all.entries()) {
    const wrong =
      message.role === 'assistant' ? wrongCall(all, i) : message.role === 'tool' ? wrongResult(all, i) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}

function wrongCall(all: readonly Fields[], at: number): string | null {
  const { content, tool_calls, refusal } = all[at]!;
  if (Array.isArray(tool_calls) && tool_calls.length === 0)
    return `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  const called = idsOf(all[at]!);
  if (called.length === 0)
    return (content ?? null) === null && refusal === undefined
      ? `Invalid value for 'content': expected a string, got null.`
      : null;
  const answered = resultsAfter(all, at).map(({ tool_call_id }) => textOf(tool_call_id));
  const missing = called.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`;
  const twice = firstTwice(answered);
  return twice === null ? null : `Duplicate value for 'tool_call_id' of '${twice}' in message[${at + 1}].`;
}

/** A result that answers no call of the message before it. */
function wrongResult(all: readonly Fields[], at: number): string | null {
  const asked = all.slice(0, at).findLast(({ role }) => role !== 'tool') ?? {};
  return idsOf(asked).includes(textOf(all[at]!.tool_call_id))
    ? null
    : `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
}

const idsOf = ({ tool_calls }: Fields): string[] => listOf(tool_calls).map(({ id }) => textOf(id));

function resultsAfter(all: readonly Fields[], at: number): Fields[] {
  const end = all.findIndex(({ role }, i) => i > at && role !== 'tool');
  return all.slice(at + 1, end === -1 ? undefined : end);
}
