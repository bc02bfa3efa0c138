// Reads one line of an event stream with the table row for its type.

import type { EngineEvent } from '../policies/facts/engine-event.ts';
import { type Json, parseObject, textOf } from '../policies/text/json.ts';

export type EventTable = Record<string, (event: Json) => EngineEvent[]>;

/** A line that is not an event, or whose type is not in the table, yields nothing. */
export function readLine(line: string, table: EventTable): EngineEvent[] {
  const event = parseObject(line);
  const type = textOf(event?.type);
  return event !== null && type !== null && Object.hasOwn(table, type) ? table[type]!(event) : [];
}
