// Reads the turns of copilot's events. All of them are current: copilot's own rewind truncates the file.

import type { LineTable } from '../../sessions/line-table.ts';
import { isPrompt, typeOf } from './event-line.ts';

export interface CopilotEntry {
  /** The line of its prompt. */
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
    const whole = () => table.text(line);
    const type = typeOf(table.head(line), whole);
    if (type === 'user.message' && isPrompt(whole())) entries.push({ prompt: line, lines: [] });
    else if (SAID.has(type)) entries.at(-1)?.lines.push(line);
    if (type === 'session.usage_record') counts.push(line);
  }
  return { entries, counts };
}

const SAID = new Set([
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
