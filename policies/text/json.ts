// Reads JSON of unknown shape, and an object of which only the beginning is known.

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

/** Parses a text that is a list; otherwise returns null. A path of fields begins with an index in it. */
export function parseList(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown as Json) : null;
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

/**
 * Blanks the comments of JSON. An unclosed string or comment runs to the end, as in the CLIs. So each alternative matches
 * wherever it begins, and the time is linear.
 */
export const withoutComments = (text: string): string =>
  text.replace(
    /("[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_, quoted?: string) => quoted ?? ' ',
  );

/** Removes each comma before a closing bracket, which JSON does not allow. */
export const withoutTrailingCommas = (text: string): string =>
  text.replace(/("[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$))|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? '');

/** Only this much is parsed: the name of an event is at its beginning. */
const MAX_HEAD = 64 * 1024;

/** Parses an object that may be cut: its complete parts, and the text where it was cut; null if it is none. */
export function parseCutObject(text: string): Json | null {
  const head = text.slice(0, MAX_HEAD);
  const { inText, escaped, open } = stateAt(head);
  const whole = escaped ? head.slice(0, -1) : head;
  const ends = inText ? ['"', '":null'] : ['', 'null', ':null'];
  for (const end of ends) {
    // Half an escape, such as an incomplete `\u` escape, is removed.
    for (const start of inText
      ? [whole, whole.replace(/\\u[0-9a-fA-F]{0,3}$/, '')]
      : [whole, whole.replace(/,\s*$/, '')]) {
      const read = parseObject(`${start}${end}${open}`);
      if (read !== null) return read;
    }
  }
  return null;
}

/** A brace alone may open an object that is printed over several lines. */
export const beginsAsObject = (line: string): boolean => /^\{\s*"/.test(line);

/** Whether a text that begins as an object or a list ends within it. */
export function isCutDocument(text: string): boolean {
  const { inText, open } = stateAt(text);
  return /^[{[]/.test(text) && (inText || open !== '');
}

/** @returns `open`: the characters that close everything that is open. */
function stateAt(text: string): { inText: boolean; escaped: boolean; open: string } {
  const closers: string[] = [];
  let inText = false;
  let escaped = false;
  for (const sign of text) {
    if (escaped) escaped = false;
    else if (inText && sign === '\\') escaped = true;
    else if (sign === '"') inText = !inText;
    else if (inText) continue;
    else if (sign === '{') closers.push('}');
    else if (sign === '[') closers.push(']');
    else if (sign === '}' || sign === ']') closers.pop();
  }
  return { inText, escaped, open: closers.reverse().join('') };
}
