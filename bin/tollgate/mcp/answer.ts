// Makes the answer for the client: without secrets, bounded, and for a failure an error that says what to do.

import { toDo } from '../../../policies/facts/next-action.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { visible } from '../../../policies/text/display.ts';
import { refusalOf } from '../../../state/system-error.ts';
import { withCalls } from './next-calls.ts';
import type { McpTool, ToolCaller, ToolResult } from './tool.ts';

/** A client that sends too many calls must wait for its earlier ones. */
const MOST_AT_ONCE = 64;
let atOnce = 0;

/** Never throws: an unexpected error also becomes an error result. */
export async function answerTo(tool: McpTool, given: Record<string, unknown>, caller: ToolCaller): Promise<ToolResult> {
  if (atOnce >= MOST_AT_ONCE)
    return failed(`${MOST_AT_ONCE} calls of tools are under way; wait for their answers, then ask again`);
  atOnce += 1;
  try {
    return await tool.act(given, caller);
  } catch (error) {
    return failed(refusalOf(error) ?? (error instanceof Error ? error.message : String(error)));
  } finally {
    atOnce -= 1;
  }
}

const failed = (message: string): ToolResult => ({
  how: 'failed',
  object: { state: 'refused', message, next_actions: [toDo('fix what the message names, and ask again')] },
});

/** The text is for clients that do not read `structuredContent`. */
export function resultOf({ how, object }: ToolResult) {
  const { redact } = createRedactor({ env: process.env, patterns: [] });
  const structuredContent = clean(withCalls(object), (text) => shortened(visible(redact(text)))) as Record<
    string,
    unknown
  >;
  const text = JSON.stringify(structuredContent);
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent,
    ...(how === 'failed' ? { isError: true } : {}),
  };
}

function clean(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((each) => clean(each, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each, text)]));
}

/** What a model can read at once; the files contain the rest. */
const MOST_CHARS = 20_000;

const shortened = (text: string): string =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)} [${text.length - MOST_CHARS} more characters]`;
