// What a line of a codex rollout is, told by its first bytes where codex wrote it itself.

import { fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';

/** Enough for the kind of a record, the role of a message and the id of a call. */
export const HEAD_BYTES = 208;

interface RolloutKind {
  type: string;
  /** Of its payload; '' where it has none. */
  kind: string;
}

const WRITTEN = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/;

/** @param whole reads the line, which happens only when somebody else wrote it. null for a line that is no record. */
export function kindOf(head: string, whole: () => string): RolloutKind | null {
  const [, type, kind] = WRITTEN.exec(head) ?? [];
  if (type !== undefined) return { type, kind: kind ?? '' };
  const record = readRecord(whole());
  if (record === null) return null;
  return { type: textOf(record.type) ?? '', kind: textOf(fieldsOf(record.payload).type) ?? '' };
}

/** The words of a person, or null for what codex itself says in the role of one (its environment, AGENTS.md). */
export function promptOf(line: string): string | null {
  const payload = fieldsOf(readRecord(line)?.payload);
  if (payload.type !== 'message' || payload.role !== 'user') return null;
  const text = textIn(payload.content);
  const kinds = fieldsOf(payload.internal_chat_message_metadata_passthrough).content_item_kinds;
  if (Array.isArray(kinds) && kinds.length > 0 && !kinds.includes('unknown'))
    return kinds.some((kind) => String(kind).startsWith('user.')) ? text : null;
  return OWN_WORDS.test(text) ? null : text;
}

/** The same question, answered without reading the whole record where it can be: a quote within its texts would be escaped. */
export const isPrompt = (line: string): boolean =>
  line.includes('"content_item_kinds":["user.') || promptOf(line) !== null;

/** How the blocks begin that older versions did not mark. */
const OWN_WORDS =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|turn_aborted|subagent_notification|skill)>|# AGENTS\.md instructions)/;

/** The text in a message, a summary or an output. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join('\n');
}

/** Its call_id; the whole line is read only where the head does not show it. */
export function callIdOf(head: string, whole: () => string): string | null {
  const shown = /"call_id":"([^"\\]*)"/.exec(head.slice(0, head.search(/"(?:output|arguments|input)":/)))?.[1];
  return shown ?? textOf(fieldsOf(readRecord(whole())?.payload).call_id);
}
