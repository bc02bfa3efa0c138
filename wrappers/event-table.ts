// Reads one line of an event stream with the table row for its type.

import type { EngineEvent } from '../policies/facts/engine-event.ts';
import { type Json, parseObject, partOf, textOf } from '../policies/text/json.ts';

export type EventTable = Record<string, (event: Json) => EngineEvent[]>;

/** A line that is not an event, or whose type is not in the table, yields nothing. */
export function readLine(line: string, table: EventTable): EngineEvent[] {
  const event = parseObject(line);
  const type = textOf(event?.type);
  return event !== null && type !== null && Object.hasOwn(table, type) ? table[type]!(event) : [];
}

/** The fields of a tool's input that say what it works on, the most telling first. */
const SUBJECTS = ['command', 'file_path', 'absolute_path', 'path', 'pattern', 'url', 'query'];

/** @param input of a tool, as its event has it. */
export function subjectIn(input: unknown): { subject?: string } {
  const fields = partOf(input);
  const subject = SUBJECTS.map((name) => textOf(fields?.[name])).find((text) => text !== null);
  return subject == null ? {} : { subject };
}
