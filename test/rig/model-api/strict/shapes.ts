// Lists and objects of a request's body, read without believing any of it.

export type Fields = Record<string, unknown>;

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first that is there twice; null where each is there once. */
export function firstTwice(ids: readonly string[]): string | null {
  return ids.find((id, i) => ids.indexOf(id) !== i) ?? null;
}
