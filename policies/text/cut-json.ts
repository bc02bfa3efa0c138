// An object of JSON of which only the beginning is known, read as if it ended there.

import { type Json, parseObject } from './json.ts';

/** So much is looked at: what names an event stands at its beginning. */
const MAX_HEAD = 64 * 1024;

/** What is complete in it, and the text at which it was cut, as far as it goes; null where nothing can be made of it. */
export function parseCutObject(text: string): Json | null {
  const head = text.slice(0, MAX_HEAD);
  const { inText, escaped, open } = stateAt(head);
  const whole = escaped ? head.slice(0, -1) : head;
  const ends = inText ? ['"', '":null'] : ['', 'null', ':null'];
  for (const end of ends) {
    // Half an escape, as of a character by its number, is none.
    for (const start of inText
      ? [whole, whole.replace(/\\u[0-9a-fA-F]{0,3}$/, '')]
      : [whole, whole.replace(/,\s*$/, '')]) {
      const read = parseObject(`${start}${end}${open}`);
      if (read !== null) return read;
    }
  }
  return null;
}

/** A brace alone may open one that is printed over several lines. */
export const beginsAsObject = (line: string): boolean => /^\{\s*"/.test(line);

/** Does a text that begins as an object end within it? */
export function isCutObject(text: string): boolean {
  const { inText, open } = stateAt(text);
  return text.startsWith('{') && (inText || open !== '');
}

/** @returns `open`: what closes all that was opened. */
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
