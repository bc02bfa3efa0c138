// Classifies the lines of a codex rollout, and finds its current turns: without those rolled back or summed up.

import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf } from '../../sessions/record.ts';

interface RolloutKind {
  type: string;
  /** The kind of its payload; '' if it has none. */
  kind: string;
}

/** Of a line without a record, both are ''. */
export const kindOf = (record: Fields | null): RolloutKind => ({
  type: textOf(record?.type) ?? '',
  kind: textOf(fieldsOf(record?.payload).type) ?? '',
});

/** The text of a user, or null for what codex itself writes in the user's role (its environment, AGENTS.md). */
export function promptOf(record: Fields): string | null {
  const payload = fieldsOf(record.payload);
  if (payload.type !== 'message' || payload.role !== 'user') return null;
  const text = textIn(payload.content);
  const kinds = fieldsOf(payload.internal_chat_message_metadata_passthrough).content_item_kinds;
  if (Array.isArray(kinds) && kinds.length > 0 && !kinds.includes('unknown'))
    return kinds.some((kind) => String(kind).startsWith('user.')) ? text : null;
  return OWN_WORDS.test(text) ? null : text;
}

/** The beginnings of the blocks that older versions did not mark. */
const OWN_WORDS =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|turn_aborted|subagent_notification|skill)>|# AGENTS\.md instructions)/;

/** The text in a message, a summary or an output. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join('\n');
}

/** The facts of a session_meta record. */
export interface CodexSessionStart {
  id: string | null;
  cwd: string | null;
  version: string | null;
  source: unknown;
  threadSource: unknown;
  historyMode: string | null;
}

/** @returns null for a line that is not a session_meta record. */
export function readBegun(record: Fields | null): CodexSessionStart | null {
  if (record?.type !== 'session_meta') return null;
  const payload = fieldsOf(record.payload);
  return {
    id: textOf(payload.id) ?? textOf(payload.session_id),
    cwd: textOf(payload.cwd),
    version: textOf(payload.cli_version),
    source: payload.source,
    threadSource: payload.thread_source,
    historyMode: textOf(payload.history_mode),
  };
}

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
    const record = fieldsOf(table.record(line));
    const { type, kind } = kindOf(record);
    if (type === 'event_msg' && kind === 'task_started') {
      task = line;
      before = [line];
    } else if (type === 'event_msg' && kind === 'thread_rolled_back') {
      entries.splice(Math.max(0, entries.length - rolledBack(record)));
      if (lastCount !== null) counts.push(lastCount);
    } else if (type === 'compacted') {
      summarize(entries, task);
      entries.push({ how: 'summary', start: line, prompt: line, before: [], lines: [line] });
    } else if (kind === 'message' && type === 'response_item' && fieldsOf(record.payload).role !== 'assistant') {
      if (promptOf(record) !== null) begin(line);
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

const rolledBack = ({ payload }: Fields): number => Math.max(0, Math.floor(countOf(fieldsOf(payload).num_turns) ?? 0));

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
