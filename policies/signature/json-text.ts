// Reads text that may not be JSON, finds where an object ends, and joins one that was printed over several lines.

import { BRACED } from './assess.ts';
import type { Level } from './log-head.ts';

/** Returns the parsed JSON; undefined if the text is not JSON. Does not throw: to throw takes as long as reading a page. */
export const readJson = (text: string): unknown => (isJson(text) ? JSON.parse(text) : undefined);

/** Writing deeper JSON needs more stack than is available. */
const MAX_DEPTH = 500;

/** An opening bracket, a closing one, a sign between items, or a string, a number or a word; after white space. */
const TOKEN =
  /[ \t\r\n]*(?:([[{])|([\]}])|([,:])|("[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\x00-\x1f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

function isJson(text: string): boolean {
  const open: string[] = [];
  let next: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' = 'value';
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return next === 'comma or end' && open.length === 0 && /^[ \t\r\n]*$/.test(text.slice(at));
    const [, opening, closing, sign, scalar] = found;
    if (closing !== undefined) {
      if (next !== 'comma or end' && next !== (closing === '}' ? 'key or end' : 'value or end')) return false;
      if (open.pop() !== closing) return false;
      next = 'comma or end';
    } else if (sign === ',') {
      if (next !== 'comma or end' || open.length === 0) return false;
      next = open.at(-1) === '}' ? 'key' : 'value';
    } else if (sign === ':') {
      if (next !== 'colon') return false;
      next = 'value';
    } else if (next === 'key' || next === 'key or end') {
      if (scalar?.startsWith('"') !== true) return false;
      next = 'colon';
    } else if (next === 'colon' || next === 'comma or end') {
      return false;
    } else if (opening !== undefined) {
      if (open.length === MAX_DEPTH) return false;
      open.push(opening === '{' ? '}' : ']');
      next = opening === '{' ? 'key or end' : 'value or end';
    } else next = 'comma or end';
  }
}

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

interface Held {
  text: string;
  level: Level | null;
}

interface ObjectJoiner {
  /** Takes a line that opens an object or is within one; false for any other. @param found the line's `survey` */
  take(line: string, found: number, level: Level | null): boolean;
  /** Emits what is held back: no object continues beyond this point. */
  flush(): void;
}

const MAX_LINES = 400;
const MAX_LENGTH = 32_768;
/** Limits the tries on a line of many brackets. */
const MAX_TRIES = 16;

/** Joins JSON printed over several lines into one line. Text that proves not to be JSON is emitted unchanged. */
export function createObjectJoiner(emit: (line: string, level: Level | null) => void): ObjectJoiner {
  let held: Held[] = [];
  let length = 0;
  let place = OUTSIDE;

  const release = (lines: readonly Held[]) => {
    held = [];
    length = 0;
    place = OUTSIDE;
    for (const { text, level } of lines) emit(text, level);
  };
  return {
    take(line, found, level) {
      if (held.length === 0 && !opens(line, found)) return false;
      held.push({ text: line, level });
      length += line.length;
      place = pastLine(line, place);
      if (held.length > MAX_LINES || length > MAX_LENGTH) release(held);
      else if (place.depth <= 0) release(joinedOf(held));
      return true;
    },
    flush: () => release(held),
  };
}

/** The line ends with an opening bracket, or was wrapped within an object. So may a stack frame of an error. */
function opens(line: string, found: number): boolean {
  if ((found & BRACED) === 0) return false;
  let end = line.length - 1;
  while (end >= 0 && line.charCodeAt(end) === 32) end -= 1;
  const last = line.charCodeAt(end);
  if (last === 123 || last === 91) return !FRAME.test(line);
  return last !== 125 && last !== 93 && /\{\\*["n]/.test(line) && pastLine(line, OUTSIDE).depth > 0;
}

const FRAME = /^\s*(?:\[?warn(?:ing)?\]?:?\s+)?at /i;

/** The depth in brackets, and whether within a string: a terminal may have wrapped a string. */
interface Place {
  depth: number;
  quoted: boolean;
}

const OUTSIDE: Place = { depth: 0, quoted: false };

function pastLine(line: string, { depth, quoted }: Place): Place {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) depth -= 1;
  }
  return { depth, quoted };
}

/** Returns one line with compact JSON, or the lines unchanged without JSON. A terminal may have wrapped it. */
function joinedOf(lines: readonly Held[]): readonly Held[] {
  const [opening] = lines;
  const text = lines.map((line, i) => (i === 0 ? line.text.trimEnd() : line.text.trim())).join(' ');
  const first = opening!.text.trimEnd().length;
  const begins = [...text.slice(0, first).matchAll(/[{[]/g)].slice(0, MAX_TRIES);
  for (const { index } of begins) {
    const end = objectEnd(text, index);
    const body = end <= first ? undefined : readJson(text.slice(index, end));
    if (body !== undefined)
      return [{ level: levelOf(lines), text: `${text.slice(0, index)}${JSON.stringify(body)}${text.slice(end)}` }];
  }
  return lines;
}

/** A logger may give each line a level: one `error` makes the whole an error. */
const levelOf = (lines: readonly Held[]): Level | null =>
  lines.some(({ level }) => level === 'error') ? 'error' : lines[0]!.level;
