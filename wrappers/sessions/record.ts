// One line of a session file as a record: whatever a person or a crash made of it, reading it throws nothing.

import type { Item } from '../../policies/session/conversation.ts';
import { visible } from '../../policies/text/display.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function readRecord(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** A field that should hold fields of its own; none where it does not. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** No item for an empty text. */
export const textItem = (how: 'said' | 'thought', text: unknown): Item[] =>
  typeof text === 'string' && text !== '' ? [{ how, text }] : [];

/** A field of a session file, short enough for an error message. */
export const brief = (text: string | null): string => visible(String(text)).slice(0, 80);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
