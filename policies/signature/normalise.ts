// Brings a text to its normal form: words in lower case, one space between them, a placeholder for whatever is volatile.

import { HAS, isLetter, isSpace, KIND, WORD } from './characters.ts';
import { type Context, type Cursor, featuresOf, openCursor, readRun, readUnit, standingOf } from './cursor.ts';
import { createNormalText, type NormalText } from './normal-text.ts';
import { stripInvisible } from './tidy.ts';
import type { TokenClass } from './token-class.ts';
import { TOKEN_CLASSES } from './token-classes.ts';

/** What each token class ate, oldest first; at most `TRACED` pieces of a class. */
export type Trace = Record<string, string[]>;

const TRACED = 12;

/**
 * Linear in the text's length, never throws, and a normal form is its own normal form.
 * `limit` stops it at about that many characters of output.
 */
export function normalise(
  text: string,
  context: Context = {},
  limit = Number.POSITIVE_INFINITY,
  trace?: Trace,
): string {
  const cursor = openCursor(withoutPrompt(stripInvisible(text), context.prompt), context);
  const { text: source } = cursor;
  const normal = createNormalText(source);
  for (let at = 0; at < source.length && normal.length() < limit; ) {
    if (isSpace(source.charCodeAt(at))) {
      cursor.spaced = true;
      cursor.quote = 0;
      at += 1;
    } else at = step(cursor, at, normal, trace);
  }
  return normal.end();
}

/** Takes one token or one sign at `at` and returns the offset past it. */
function step(cursor: Cursor, at: number, normal: NormalText, trace: Trace | undefined): number {
  const code = cursor.text.charCodeAt(at);
  const kind = code < 128 ? (KIND[code] as number) : 0;
  const fresh = at >= cursor.runEnd;
  if (fresh) readRun(cursor, at);
  if (!(kind & WORD) && !isLetter(code)) return takeSign(cursor, at, code, normal, trace);
  if (!fresh || cursor.unitEnd !== cursor.runEnd) readUnit(cursor, at);
  for (const row of wordClasses(featuresOf(cursor, at), code)) {
    const end = row.scan(cursor, at);
    if (end > at) return eat(cursor, row, at, end, normal, trace);
  }
  return keepWord(cursor, at, normal);
}

function takeSign(cursor: Cursor, at: number, code: number, normal: NormalText, trace: Trace | undefined): number {
  const features = cursor.features | standingOf(cursor);
  for (const row of signClasses(code)) {
    if ((row.needs & features) !== row.needs) continue;
    const end = row.scan(cursor, at);
    if (end > at) return eat(cursor, row, at, end, normal, trace);
  }
  return passSign(cursor, at, code);
}

function eat(
  cursor: Cursor,
  row: TokenClass,
  at: number,
  end: number,
  normal: NormalText,
  trace: Trace | undefined,
): number {
  const put = typeof row.put === 'string' ? row.put : row.put(cursor, at, end);
  if (put !== '') normal.put(put);
  if (trace) {
    const eaten = trace[row.name] ?? [];
    if (eaten.length < TRACED) eaten.push(cursor.text.slice(at, Math.min(end, at + 120)));
    trace[row.name] = eaten;
  }
  // A dropped label such as "error" is still the word before: `ERROR: 500`.
  advance(cursor, put === '' ? at : end, end);
  return end;
}

function keepWord(cursor: Cursor, at: number, normal: NormalText): number {
  const end = cursor.unitEnd;
  normal.keep(at, end);
  advance(cursor, at, end);
  return end;
}

function advance(cursor: Cursor, from: number, to: number): void {
  cursor.olderFrom = cursor.lastFrom;
  cursor.olderTo = cursor.lastTo;
  cursor.lastFrom = from;
  cursor.lastTo = to;
  cursor.lead = 0;
  cursor.spaced = false;
  cursor.quote = 0;
}

function passSign(cursor: Cursor, at: number, code: number): number {
  const { text } = cursor;
  if (code === 34 || code === 39 || code === 96) {
    cursor.quote = code;
    return at + 1;
  }
  if (code === 92) {
    // `\n` and `\"` of JSON inside a string, however often it was escaped again: the letter is no text.
    let end = at + 1;
    while (text.charCodeAt(end) === 92) end += 1;
    const escaped = text.charCodeAt(end);
    if (escaped === 110 || escaped === 116 || escaped === 114) {
      cursor.spaced = true;
      return end + 1;
    }
    return escaped === 117 && /^u[0-9a-f]{4}/i.test(text.slice(end, end + 5)) ? end + 5 : end;
  }
  cursor.lead = code;
  cursor.spaced = false;
  cursor.quote = 0;
  return at + 1;
}

// Filled as needed; full length from the start, since V8 keeps a sparse array as a slow dictionary.
const WORD_CLASSES = new Array<readonly TokenClass[] | undefined>(HAS.task * 2 * 32);

/** The classes that a word with this first letter and these features may begin: for most words very few. */
function wordClasses(features: number, first: number): readonly TokenClass[] {
  const key = features * 32 + (first < 58 ? 0 : first < 128 ? first & 31 : 31);
  const known = WORD_CLASSES[key];
  if (known) return known;
  const letter = String.fromCharCode(first).toLowerCase();
  const classes = TOKEN_CLASSES.filter(
    (row) =>
      row.begins.startsWith('word') && (row.needs & features) === row.needs && (row.first?.includes(letter) ?? true),
  );
  WORD_CLASSES[key] = classes;
  return classes;
}

const SIGN_CLASSES: (readonly TokenClass[])[] = [];

/** The classes that this sign may begin. */
function signClasses(code: number): readonly TokenClass[] {
  if (SIGN_CLASSES.length === 0) {
    const signs = TOKEN_CLASSES.map((row) => ({ row, begins: row.begins.replace('word', '') }));
    for (let sign = 0; sign < 128; sign += 1) {
      const character = String.fromCharCode(sign);
      SIGN_CLASSES.push(signs.filter(({ begins }) => begins.includes(character)).map(({ row }) => row));
    }
  }
  return code < 128 ? (SIGN_CLASSES[code] as readonly TokenClass[]) : NONE;
}

const NONE: readonly TokenClass[] = [];

function withoutPrompt(text: string, prompt: string | undefined): string {
  const echo = prompt?.trim() ?? '';
  return echo.length >= 24 && text.includes(echo) ? text.split(echo).join(' <prompt> ') : text;
}
