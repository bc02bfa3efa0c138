// Reads JSON of unknown shape.

export type Json = { [key: string]: unknown };

/** Parses a text that is an object; otherwise returns null. */
export function parseObject(text: string): Json | null {
  if (!text.startsWith('{')) return null;
  try {
    return partOf(JSON.parse(text));
  } catch {
    return null;
  }
}

export const partOf = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
