// Reads one line of an event stream by the row of its type.

import type { EngineEvent } from '../policies/facts/engine-event.ts';
import { type Json, parseObject, textOf } from '../policies/text/json.ts';

export type EventTable = Record<string, (event: Json) => EngineEvent[]>;

/** What is no event, or one that the table does not know, tells nothing. */
export function readLine(line: string, table: EventTable): EngineEvent[] {
  const event = parseObject(line);
  const type = textOf(event?.type);
  return event !== null && type !== null && Object.hasOwn(table, type) ? table[type]!(event) : [];
}
