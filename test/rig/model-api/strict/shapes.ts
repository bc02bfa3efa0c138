// Reads lists and objects of a request's body without trust in their form.

export type Fields = Record<string, unknown>;

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the first id that occurs twice; null if each occurs once. */
export function firstTwice(ids: readonly string[]): string | null {
  return ids.find((id, i) => ids.indexOf(id) !== i) ?? null;
}
