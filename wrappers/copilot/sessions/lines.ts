// Classifies the lines of copilot's events, and finds its turns. All are current: copilot's own rewind truncates the file.

import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, textOf } from '../../sessions/record.ts';

/** The text of a user; null for the prompt of a subagent, or what copilot writes in the user's role. */
export function promptOf(event: Fields): string | null {
  if (event.type !== 'user.message' || isSubAgents(event)) return null;
  const { content, source, isAutopilotContinuation } = fieldsOf(event.data);
  if (isAutopilotContinuation === true || (textOf(source) ?? 'user') !== 'user') return null;
  return textOf(content);
}

export const isSubAgents = (event: Fields): boolean =>
  event.agentId !== undefined || fieldsOf(event.data).parentToolCallId !== undefined;

export interface CopilotSessionStart {
  id: string | null;
  cwd: string | null;
  version: string | null;
  /** The version of the file format. */
  form: number | null;
}

/** @returns null for a line that is not a session.start event. */
export function readBegun(event: Fields | null): CopilotSessionStart | null {
  if (event?.type !== 'session.start') return null;
  const data = fieldsOf(event.data);
  return {
    id: textOf(data.sessionId),
    cwd: textOf(fieldsOf(data.context).cwd),
    version: textOf(data.copilotVersion),
    form: countOf(data.version),
  };
}

interface CopilotEntry {
  prompt: number;
  /** Relevant lines after the prompt. */
  lines: number[];
}

interface CopilotStanding {
  entries: CopilotEntry[];
  /** Each counts the tokens of one model request. */
  counts: number[];
}

export function foldEvents(table: LineTable): CopilotStanding {
  const entries: CopilotEntry[] = [];
  const counts: number[] = [];
  for (let line = 1; line < table.count; line += 1) {
    const event = fieldsOf(table.record(line));
    const { type } = event;
    if (promptOf(event) !== null) entries.push({ prompt: line, lines: [] });
    else if (SAID.has(type)) entries.at(-1)?.lines.push(line);
    if (type === 'session.usage_record') counts.push(line);
  }
  return { entries, counts };
}

const SAID = new Set<unknown>([
  'abort',
  'assistant.message',
  'assistant.reasoning',
  'assistant.turn_start',
  'session.compaction_complete',
  'session.error',
  'session.usage_record',
  'session.warning',
  'tool.execution_complete',
  'tool.execution_start',
]);
