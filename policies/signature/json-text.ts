// Reads text that may not be JSON, without the throw of `JSON.parse`, which takes as long as reading a page.

/** Writing deeper JSON needs more stack than is available. */
const MAX_DEPTH = 500;
const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = 123;
const CLOSING = 125;
const OPENING_LIST = 91;
const CLOSING_LIST = 93;

/** Returns the parsed JSON; undefined if the text is not JSON. */
export const readJson = (text: string): unknown => (isJson(text) ? JSON.parse(text) : undefined);

/** What may come next: a value; a value or the end of the list; a key; a key or the end; a colon; a comma or the end. */
type Next = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more';

function isJson(text: string): boolean {
  const open: number[] = [];
  let next: Next = 'value';
  let at = pastSpace(text, 0);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (next === 'more') {
      const closing = open.at(-1);
      if (closing === undefined) return false;
      if (code === closing) open.pop();
      else if (code !== 44) return false;
      else next = closing === CLOSING ? 'key' : 'value';
      at += 1;
    } else if (next === 'colon') {
      if (code !== 58) return false;
      next = 'value';
      at += 1;
    } else if (code === CLOSING || code === CLOSING_LIST) {
      if (next !== (code === CLOSING ? 'first key' : 'first value')) return false;
      open.pop();
      next = 'more';
      at += 1;
    } else if (next === 'key' || next === 'first key') {
      at = code === QUOTE ? pastString(text, at) : -1;
      next = 'colon';
    } else if (code === OPENING || code === OPENING_LIST) {
      if (open.length === MAX_DEPTH) return false;
      open.push(code === OPENING ? CLOSING : CLOSING_LIST);
      next = code === OPENING ? 'first key' : 'first value';
      at += 1;
    } else {
      at = code === QUOTE ? pastString(text, at) : pastLiteral(text, at);
      next = 'more';
    }
    if (at < 0) return false;
    at = pastSpace(text, at);
  }
  return next === 'more' && open.length === 0;
}

function pastSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9; ) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

/** Returns the offset past the closing quote; -1 without one, or at a sign that a string cannot contain. */
function pastString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 32) return -1;
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) return -1;
    at = ESCAPE.lastIndex - 1;
  }
  return -1;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function pastLiteral(text: string, from: number): number {
  LITERAL.lastIndex = from;
  return LITERAL.test(text) ? LITERAL.lastIndex : -1;
}

const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
