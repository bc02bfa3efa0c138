// Classifies a line of copilot's events, by its first bytes if copilot itself wrote it.

import { type Fields, fieldsOf, readRecord, textOf } from '../../sessions/record.ts';

export const HEAD_BYTES = 96;

/** Its type; '' for a line that is not an event. @param whole reads the line, which happens only if another program wrote it. */
export function typeOf(head: string, whole: () => string): string {
  return /^\{"type":"([\w.]+)"/.exec(head)?.[1] ?? textOf(readRecord(whole())?.type) ?? '';
}

/** The text of a user; null for the prompt of a subagent, or what copilot writes in the user's role. */
export function promptOf(line: string): string | null {
  const event = readRecord(line);
  if (event?.type !== 'user.message' || isSubAgents(event)) return null;
  const { content, source, isAutopilotContinuation } = fieldsOf(event.data);
  if (isAutopilotContinuation === true || (textOf(source) ?? 'user') !== 'user') return null;
  return textOf(content);
}

/** Is the line a prompt? Avoids reading the whole event if possible: a quote within its texts would be escaped. */
export const isPrompt = (line: string): boolean =>
  (WRITTEN.test(line) && !OTHERS.test(line)) || promptOf(line) !== null;

const WRITTEN = /^\{"type":"user\.message","data":\{"content":".*\}$/;
/** Other events have these fields, and so do some prompts of a user. */
const OTHERS = /"(?:source|isAutopilotContinuation|agentId|parentToolCallId)":/;

export const isSubAgents = (event: Fields): boolean =>
  event.agentId !== undefined || fieldsOf(event.data).parentToolCallId !== undefined;
