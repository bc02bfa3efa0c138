// What a line of copilot's events is, told by its first bytes where copilot wrote it itself.

import { type Fields, fieldsOf, readRecord, textOf } from '../../sessions/record.ts';

export const HEAD_BYTES = 96;

/** Its type; '' for a line that is no event. @param whole reads the line, which happens only when somebody else wrote it. */
export function typeOf(head: string, whole: () => string): string {
  return /^\{"type":"([\w.]+)"/.exec(head)?.[1] ?? textOf(readRecord(whole())?.type) ?? '';
}

/** The words of a person; null for what a subagent was asked, or what copilot says in the role of one. */
export function promptOf(line: string): string | null {
  const event = readRecord(line);
  if (event?.type !== 'user.message' || isSubAgents(event)) return null;
  const { content, source, isAutopilotContinuation } = fieldsOf(event.data);
  if (isAutopilotContinuation === true || (textOf(source) ?? 'user') !== 'user') return null;
  return textOf(content);
}

/** The same question, answered without reading the whole event where it can be: a quote within its texts would be escaped. */
export const isPrompt = (line: string): boolean =>
  (WRITTEN.test(line) && !OTHERS.test(line)) || promptOf(line) !== null;

const WRITTEN = /^\{"type":"user\.message","data":\{"content":".*\}$/;
/** What the events of others have, and some of a person's. */
const OTHERS = /"(?:source|isAutopilotContinuation|agentId|parentToolCallId)":/;

export const isSubAgents = (event: Fields): boolean =>
  event.agentId !== undefined || fieldsOf(event.data).parentToolCallId !== undefined;
