// Refuses a conversation as Anthropic's service does, in its own words.

import type { Body } from '../dialect.ts';
import { type Fields, fieldsOf, firstTwice, listOf, textOf } from './shapes.ts';

/** @returns null if it is accepted. */
export function refusedByAnthropic({ messages, thinking }: Body): string | null {
  const all = listOf(messages);
  if (all.length === 0) return 'messages: at least one message is required';
  if (all[0]!.role !== 'user') return 'messages: first message must use the "user" role';
  for (const i of all.keys()) {
    const wrong = emptyContent(all, i) ?? wrongPair(all, i);
    if (wrong !== null) return wrong;
  }
  const twice = firstTwice(all.flatMap((message) => idsOf(message, 'tool_use')));
  if (twice !== null) return 'messages: `tool_use` ids must be unique';
  if (fieldsOf(thinking).type === 'enabled') {
    const wrong = thoughtless(all);
    if (wrong !== null) return wrong;
  }
  return all.at(-1)!.role === 'assistant'
    ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
    : null;
}

function emptyContent(all: readonly Fields[], i: number): string | null {
  const { content } = all[i]!;
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0);
  if (isEmpty)
    return `messages.${i}: all messages must have non-empty content except for the optional final assistant message`;
  return blocksOf(all[i]!).some(({ type, text }) => type === 'text' && text === '')
    ? 'messages: text content blocks must be non-empty'
    : null;
}

function wrongPair(all: readonly Fields[], i: number): string | null {
  const called = idsOf(all[i]!, 'tool_use');
  const next = all[i + 1];
  const missing = next === undefined ? [] : called.filter((id) => !idsOf(next, 'tool_result').includes(id));
  if (missing.length > 0)
    return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  const results = idsOf(all[i]!, 'tool_result');
  const known = i === 0 ? [] : idsOf(all[i - 1]!, 'tool_use');
  const at = results.findIndex((id) => !known.includes(id));
  if (at !== -1)
    return `messages.${i}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${results[at]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  const twice = firstTwice(results);
  return twice === null
    ? null
    : `messages.${i}.content.${results.lastIndexOf(twice)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
}

/** With thinking on, a turn that continues after its tools begins with its thoughts. */
function thoughtless(all: readonly Fields[]): string | null {
  const at = all.findLastIndex((message) => idsOf(message, 'tool_use').length > 0);
  if (at === -1 || all.slice(at + 1).some((message) => idsOf(message, 'tool_result').length === 0)) return null;
  const first = textOf(blocksOf(all[at]!)[0]?.type);
  return first === 'thinking' || first === 'redacted_thinking'
    ? null
    : `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
}

const blocksOf = ({ content }: Fields): Fields[] => listOf(content);

const idsOf = (message: Fields, type: 'tool_use' | 'tool_result'): string[] =>
  blocksOf(message).flatMap((block) => (block.type === type ? textOf(block.id ?? block.tool_use_id) : []));
