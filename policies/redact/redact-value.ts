// Redacts each text of a value separately, so that its structure remains, even if a secret spans several texts.

/** @param value a JSON value. We define the names of its fields, so they remain. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, redact)]));
}
