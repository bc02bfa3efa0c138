// One line of a session file as a record: whatever a person or a crash made of it, reading it throws nothing.

import type { Item } from '../../policies/session/conversation.ts';
import { visible } from '../../policies/text/display.ts';
import { numberOf, partOf, textOf } from '../../policies/text/json.ts';
import { tried } from '../../policies/text/tried.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const readRecord = (line: string): Fields | null => tried(() => partOf(JSON.parse(line)));

/** A field that should hold fields of its own; none where it does not. */
export const fieldsOf = (value: unknown): Fields => partOf(value) ?? {};

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export { numberOf as countOf, textOf };

/** No item for an empty text. */
export const textItem = (how: 'said' | 'thought', text: unknown): Item[] =>
  typeof text === 'string' && text !== '' ? [{ how, text }] : [];

/** A field of a session file, short enough for an error message. */
export const brief = (text: string | null): string => visible(String(text)).slice(0, 80);
