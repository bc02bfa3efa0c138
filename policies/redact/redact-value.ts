// Takes secrets out of each text of a value by itself, so that its shape stays, whatever a secret reaches over.

/** @param value as JSON knows them; the names of its fields are ours, and stay. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, redact)]));
}
