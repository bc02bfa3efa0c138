// Finds where a JSON object or array ends.

const QUOTE = 34;
const BACKSLASH = 92;

/** Returns the offset past the bracket that closes the one at `at`, or -1. The JSON may be escaped into a string. */
export function objectEnd(text: string, at: number): number {
  // Its quotes have as many backslashes as the first one. Quotes within strings have more, and a string may end in some.
  const escapes = backslashesBefore(text, text.indexOf('"', at), at);
  let depth = 0;
  let quoted = false;
  let signs = 0;
  for (let i = at; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) {
      signs += 1;
      continue;
    }
    if (code === QUOTE && signs % (2 * (escapes + 1)) === escapes) quoted = !quoted;
    else if (!quoted && (code === 123 || code === 91)) depth += 1;
    else if (!quoted && (code === 125 || code === 93)) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
    signs = 0;
  }
  return -1;
}

function backslashesBefore(text: string, quote: number, from: number): number {
  let signs = 0;
  while (quote - signs - 1 > from && text.charCodeAt(quote - signs - 1) === BACKSLASH) signs += 1;
  return signs;
}
