// Classifies a line of a codex rollout, by its first bytes if codex itself wrote it.

import { fieldsOf, listOf, readRecord, textOf } from '../../sessions/record.ts';

/** Enough for the kind of a record, the role of a message and the id of a call. */
export const HEAD_BYTES = 208;

interface RolloutKind {
  type: string;
  /** The kind of its payload; '' if it has none. */
  kind: string;
}

const WRITTEN = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/;

/**
 * @param whole reads the line, which happens only if another program wrote it.
 * @returns null for a line that is not a record.
 */
export function kindOf(head: string, whole: () => string): RolloutKind | null {
  const [, type, kind] = WRITTEN.exec(head) ?? [];
  if (type !== undefined) return { type, kind: kind ?? '' };
  const record = readRecord(whole());
  if (record === null) return null;
  return { type: textOf(record.type) ?? '', kind: textOf(fieldsOf(record.payload).type) ?? '' };
}

/** The text of a user, or null for what codex itself writes in the user's role (its environment, AGENTS.md). */
export function promptOf(line: string): string | null {
  const payload = fieldsOf(readRecord(line)?.payload);
  if (payload.type !== 'message' || payload.role !== 'user') return null;
  const text = textIn(payload.content);
  const kinds = fieldsOf(payload.internal_chat_message_metadata_passthrough).content_item_kinds;
  if (Array.isArray(kinds) && kinds.length > 0 && !kinds.includes('unknown'))
    return kinds.some((kind) => String(kind).startsWith('user.')) ? text : null;
  return OWN_WORDS.test(text) ? null : text;
}

/** Is the line a prompt? Avoids reading the whole record if possible: a quote within its texts would be escaped. */
export const isPrompt = (line: string): boolean =>
  line.includes('"content_item_kinds":["user.') || promptOf(line) !== null;

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

/** The call_id; reads the whole line only if the head does not show it. */
export function callIdOf(head: string, whole: () => string): string | null {
  const shown = /"call_id":"([^"\\]*)"/.exec(head.slice(0, head.search(/"(?:output|arguments|input)":/)))?.[1];
  return shown ?? textOf(fieldsOf(readRecord(whole())?.payload).call_id);
}
