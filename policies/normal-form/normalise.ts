// Brings a text to its normal form: words in lower case, one space between them, nothing for whatever is volatile.

import { HEX, KIND, LETTER, SPACE, WORD } from '../scan/characters.ts';
import type { Cursor, ScanContext } from '../scan/cursor.ts';
import { featuresOf, openCursor, readRest, readRun, readUnit, standingOf } from '../scan/read-units.ts';
import type { Step } from '../scan/step.ts';
import type { TokenClass } from '../token-classes/token-class.ts';
import { AT_SIGN, beginsShortWord, firstRows, otherRows, ROWS } from './candidates.ts';
import { keepWord, type NormalText, openNormalText, putPlaceholder, textOf } from './normal-text.ts';
import { stripInvisible } from './tidy.ts';

/**
 * Linear in the text's length, never throws, and a normal form is its own normal form.
 * `limit` stops it at about that many characters of output; `trace` gets what becomes of each word.
 */
export function normalise(
  text: string,
  context: ScanContext = {},
  limit = Number.POSITIVE_INFINITY,
  trace: Step[] | null = null,
): string {
  return read(openCursor(withoutPrompt(stripInvisible(text), context.prompt), context, trace), limit);
}

/** The normal form of what the cursor stands before. */
export function read(cursor: Cursor, limit: number): string {
  const { text, codes } = cursor;
  const normal = openNormalText(Math.min(text.length, limit));
  for (let at = 0; at < text.length && normal.size < limit; ) {
    if (KIND[codes[at]!]! & SPACE) {
      cursor.spaced = true;
      cursor.quote = 0;
      at += 1;
    } else at = step(cursor, at, normal);
  }
  return textOf(normal);
}

/** Takes one token or one sign at `at` and returns the offset past it. */
function step(cursor: Cursor, at: number, normal: NormalText): number {
  const code = cursor.codes[at]!;
  const fresh = at >= cursor.runEnd;
  if (fresh) {
    readRun(cursor, at);
    if (isPlain(cursor, at, code)) return passWord(cursor, at, normal);
  }
  if (!(KIND[code]! & (WORD | LETTER))) return takeSign(cursor, at, code, normal);
  if (at < cursor.unitEnd && !fresh) readRest(cursor, at);
  else if (!fresh || cursor.unitEnd !== cursor.runEnd) readUnit(cursor, at);
  const features = featuresOf(cursor, at);
  const second = cursor.codes[at + 1]!;
  return (
    take(cursor, at, firstRows(features, code, second), 0, normal) ||
    take(cursor, at, otherRows(features, code, second), 32, normal) ||
    passWord(cursor, at, normal)
  );
}

/** A short word of letters alone that nothing special stands at, and that no class begins with: most words are. */
function isPlain(cursor: Cursor, at: number, first: number): boolean {
  return (
    cursor.runIsPlain &&
    cursor.runEnd - at < 7 &&
    standingOf(cursor) === 0 &&
    !beginsShortWord(first, cursor.codes[at + 1]!)
  );
}

/** Tries a set of classes, the first in the table first; the offset past the token, or 0. */
function take(cursor: Cursor, at: number, classes: number, base: number, normal: NormalText): number {
  for (let left = classes; left !== 0; left &= left - 1) {
    const row = ROWS[base + 31 - Math.clz32(left & -left)]!;
    const end = row.scan(cursor, at);
    if (end > at) return eat(cursor, row, at, end, normal);
  }
  return 0;
}

function takeSign(cursor: Cursor, at: number, code: number, normal: NormalText): number {
  if (code < 128) {
    const features = cursor.features | standingOf(cursor);
    for (const { row, needs } of AT_SIGN[code]!) {
      if ((needs & features) !== needs) continue;
      const end = row.scan(cursor, at);
      if (end > at) return eat(cursor, row, at, end, normal);
    }
  }
  return passSign(cursor, at, code);
}

function eat(cursor: Cursor, row: TokenClass, at: number, end: number, normal: NormalText): number {
  const put = typeof row.put === 'string' ? row.put : row.put(cursor, at, end);
  const kept = keptOf(put);
  const isPut = kept !== '' && putPlaceholder(normal, kept);
  if (cursor.trace !== null) {
    const piece = row.isSecret ? put : pieceOf(cursor, at, end);
    cursor.trace.push({ class: row.name, put: isPut ? kept : '', piece, from: at, to: end });
  }
  // A dropped label such as "error" is still the word before: `ERROR: 500`.
  return advance(cursor, put === '' ? at : end, end);
}

/** Of a placeholder only codes and waits are kept: that something volatile stood there tells nothing. */
function keptOf(put: string): string {
  if (put.startsWith('<code') || put.startsWith('<wait')) return put;
  const at = put.indexOf('<');
  return at === -1 ? put : put.slice(0, at).trimEnd();
}

function passWord(cursor: Cursor, at: number, normal: NormalText): number {
  const end = cursor.unitEnd;
  keepWord(normal, cursor.codes, at, end);
  if (cursor.trace !== null) {
    const piece = pieceOf(cursor, at, end);
    cursor.trace.push({ class: null, put: piece.toLowerCase(), piece, from: at, to: end });
  }
  return advance(cursor, at, end);
}

const pieceOf = ({ text }: Cursor, at: number, end: number): string => text.slice(at, Math.min(end, at + MAX_PIECE));

const MAX_PIECE = 120;

/** Past the token or word, and past one space behind it. */
function advance(cursor: Cursor, from: number, to: number): number {
  cursor.olderFrom = cursor.lastFrom;
  cursor.olderTo = cursor.lastTo;
  cursor.lastFrom = from;
  cursor.lastTo = to;
  cursor.lead = 0;
  cursor.quote = 0;
  cursor.spaced = cursor.codes[to] === 32;
  return cursor.spaced ? to + 1 : to;
}

const BACKSLASH = 92;

function passSign(cursor: Cursor, at: number, code: number): number {
  if (code === BACKSLASH) return passEscape(cursor, at);
  if (code === 34 || code === 39 || code === 96) cursor.quote = code;
  else {
    cursor.lead = code;
    cursor.spaced = false;
    cursor.quote = 0;
  }
  return at + 1;
}

/** `\n`, `\"` and `\u001b` of JSON inside a string, however often it was escaped again: the letter is no text. */
function passEscape(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  let end = at + 1;
  while (codes[end] === BACKSLASH) end += 1;
  switch (codes[end]) {
    case 110: // n
    case 114: // r
    case 116: // t
      cursor.spaced = true;
      return end + 1;
    case 117: // u
      return [1, 2, 3, 4].every((i) => KIND[codes[end + i]!]! & HEX) ? end + 5 : end;
    default:
      return end;
  }
}

/** Also without a word such as `user:` before it. */
function withoutPrompt(text: string, prompt: string | undefined): string {
  const echo = prompt?.trim() ?? '';
  if (echo.length < 24 || !text.includes(echo)) return text;
  return text.split(echo).join(ECHO).replace(LABELLED_ECHO, ' ').replaceAll(ECHO, ' ');
}

/** Of the private use area: it stands in no text. */
const ECHO = '\uf8ff';
const LABELLED_ECHO = new RegExp(`^\\W{0,4}(?:\\w{1,12}\\W{1,3})?${ECHO}`, 'gm');
