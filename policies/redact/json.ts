// Keeps JSON valid under redaction: a line or a text that could be parsed before can still be parsed afterwards.

/**
 * Redacts lines that look like JSON one by one, and the text between them in one piece. If a placeholder is outside a string, as
 * for a numeric password, the value is rebuilt with the placeholder as a string.
 */
export function keepJson(text: string, redact: (text: string) => string): string {
  if (!/[[{]/.test(text)) return redact(text);
  if (looksLikeJson(text) && text.includes('\n')) {
    const document = parsed(text);
    if (document) return redactDocument(text, document.value, redact, 2);
  }
  let redacted = '';
  let plainFrom = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (looksLikeJson(text.slice(from, Math.min(to, from + 40)))) {
      if (plainFrom < from) redacted += redact(text.slice(plainFrom, from));
      redacted += redactLine(text.slice(from, to), redact);
      plainFrom = to;
    }
    from = to + 1;
  }
  return plainFrom < text.length ? redacted + redact(text.slice(plainFrom)) : redacted;
}

function redactLine(line: string, redact: (text: string) => string): string {
  const redacted = redact(line);
  if (redacted === line || parsed(redacted)) return redacted;
  const document = parsed(line);
  return document ? redactDocument(line, document.value, redact, 0) : redacted;
}

function redactDocument(text: string, value: unknown, redact: (text: string) => string, indent: number): string {
  const redacted = redact(text);
  return parsed(redacted) ? redacted : JSON.stringify(rebuilt(value, redact), null, indent);
}

/** Each name and value is redacted as a pair, because the name may be what identifies the secret. */
function rebuilt(value: unknown, redact: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => (isScalar(item) ? scalar(item, redact) : rebuilt(item, redact)));
  if (typeof value !== 'object' || value === null) return scalar(value, redact);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) =>
      isScalar(item) ? pair(name, item, redact) : [scalar(name, redact), rebuilt(item, redact)],
    ),
  );
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function scalar(value: unknown, redact: (text: string) => string): unknown {
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

function pair(name: string, value: unknown, redact: (text: string) => string): [string, unknown] {
  const line = JSON.stringify({ [name]: String(value) });
  const document = parsed(redact(line))?.value as Record<string, string> | undefined;
  const [redactedName, redacted] = Object.entries(document ?? {})[0] ?? [
    String(scalar(name, redact)),
    String(scalar(value, redact)),
  ];
  return [redactedName, redacted === String(value) ? value : redacted];
}

const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text);

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
