// Finds the current turns of a codex rollout: without those rolled back, and with a summary instead of what it sums up.

// codex itself rebuilds its history by the same rules when it resumes.

import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, fieldsOf, readRecord } from '../../sessions/record.ts';
import { isPrompt, kindOf } from './rollout-line.ts';

/** A prompt and what followed it, or a summary; `lines` are indexes into the file. */
export interface CodexEntry {
  how: 'prompt' | 'summary';
  /** Where it begins: the line that opened its task, or the prompt itself if that task already had a prompt. */
  start: number;
  prompt: number;
  /** Between `start` and `prompt`: what codex recorded and reported to the model about its environment. */
  before: number[];
  /** Relevant lines after the prompt. */
  lines: number[];
}

export interface CodexStanding {
  /** In the order of the conversation. */
  entries: CodexEntry[];
  /** The last token counts in the file and before each rollback: a rollback does not refund them. */
  counts: number[];
}

export function foldRollout(table: LineTable): CodexStanding {
  const entries: CodexEntry[] = [];
  let task: number | null = null;
  let before: number[] = [];
  const counts: number[] = [];
  let lastCount: number | null = null;

  const begin = (prompt: number) => {
    entries.push({ how: 'prompt', start: task ?? prompt, prompt, before, lines: [] });
    task = null;
    before = [];
  };

  for (let line = 1; line < table.count; line += 1) {
    const whole = () => table.text(line);
    const found = kindOf(table.head(line), whole);
    if (found === null) continue;
    const { type, kind } = found;
    if (type === 'event_msg' && kind === 'task_started') {
      task = line;
      before = [line];
    } else if (type === 'event_msg' && kind === 'thread_rolled_back') {
      entries.splice(Math.max(0, entries.length - rolledBack(whole())));
      if (lastCount !== null) counts.push(lastCount);
    } else if (type === 'compacted') {
      summarize(entries, task);
      entries.push({ how: 'summary', start: line, prompt: line, before: [], lines: [line] });
    } else if (type === 'response_item' && kind === 'message' && roleOf(table.head(line), whole) !== 'assistant') {
      if (roleOf(table.head(line), whole) === 'user' && isPrompt(whole())) begin(line);
      else if (task !== null) before.push(line);
    } else if (SURROUNDINGS.has(type)) {
      if (task !== null) before.push(line);
    } else if (type === 'response_item' || NOTED.has(kind)) {
      entries.at(-1)?.lines.push(line);
      if (kind === 'token_count') lastCount = line;
    }
  }
  return { entries, counts: lastCount === null ? counts : [...counts, lastCount] };
}

/** The lines after a prompt, including those of the summaries that were made meanwhile. */
export function linesAfter({ entries }: CodexStanding, entry: CodexEntry): number[] {
  const from = entries.indexOf(entry);
  const next = entries.findIndex(({ how }, at) => at > from && how === 'prompt');
  return entries.slice(from, next === -1 ? undefined : next).flatMap(({ lines }) => lines);
}

const SURROUNDINGS = new Set(['world_state', 'turn_context']);
const NOTED = new Set(['token_count', 'turn_aborted', 'error']);

function rolledBack(line: string): number {
  return Math.max(0, Math.floor(countOf(fieldsOf(readRecord(line)?.payload).num_turns) ?? 0));
}

/** The new summary includes an older one. Lines since the task began, without a prompt, are the summary itself. */
function summarize(entries: CodexEntry[], task: number | null): void {
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    if (entries[at]!.how === 'prompt') continue;
    const [older] = entries.splice(at, 1);
    entries[at - 1]?.lines.push(...older!.lines);
  }
  const last = entries.at(-1);
  if (last && task !== null) last.lines = last.lines.filter((line) => line < task);
}

function roleOf(head: string, whole: () => string): string {
  const shown = /"role":"(\w+)"/.exec(head.slice(0, head.indexOf('"content":')))?.[1];
  return shown ?? String(fieldsOf(readRecord(whole())?.payload).role);
}
