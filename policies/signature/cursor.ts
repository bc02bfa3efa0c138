// Where the normaliser stands in a text: the unit under it, what stood before, and what the run around it may hold.

import { DIGIT, FEATURE, HAS, HEX, isDigit, isLetter, isWord, JOINT, KIND, kindOf, SPACE, WORD } from './characters.ts';

/** Stands for "nothing came before" where a character code is expected. */
export const START = -1;

export interface Cursor {
  text: string;
  /** The word, or words joined by `-` and `.`, that begins at the cursor. */
  unitEnd: number;
  unitHasDigit: boolean;
  unitIsHex: boolean;
  /** `HAS` bits of the run of visible characters around the cursor, and where that run ends. */
  features: number;
  runEnd: number;
  /** The last sign before the token, quotes and brackets of quoting aside; 0 = a token, START = nothing. */
  lead: number;
  /** White space stands between that sign and the token. */
  spaced: boolean;
  /** The quote that opens right before the token, or 0. */
  quote: number;
  /** The two words before, as offsets; empty where something other than a word stood. */
  lastFrom: number;
  lastTo: number;
  olderFrom: number;
  olderTo: number;
  context: Context;
}

/** What the caller knows to be volatile in this text. */
export interface Context {
  taskId?: string;
  prompt?: string;
}

export function openCursor(text: string, context: Context): Cursor {
  return {
    text,
    unitEnd: 0,
    unitHasDigit: false,
    unitIsHex: false,
    features: 0,
    runEnd: 0,
    lead: START,
    spaced: false,
    quote: 0,
    lastFrom: 0,
    lastTo: 0,
    olderFrom: 0,
    olderTo: 0,
    context,
  };
}

/** Reads the run of visible characters that begins at `at`, once for each run; a run that is one word is a unit too. */
export function readRun(cursor: Cursor, at: number): void {
  const { text } = cursor;
  let features = 0;
  let any = 0;
  let all = WORD | HEX;
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 128) {
      const kind = KIND[code] as number;
      if (kind & SPACE) break;
      features |= FEATURE[code] as number;
      any |= kind;
      all &= kind;
    } else {
      if (kindOf(code) & SPACE) break;
      all = 0;
    }
  }
  cursor.features = features;
  cursor.runEnd = end;
  if (all & WORD) closeUnit(cursor, end, any, all);
}

/** Reads the unit at `at`: ASCII words joined by single `-` or `.`, or a run of letters of another script. */
export function readUnit(cursor: Cursor, at: number): void {
  const { text } = cursor;
  let end = at;
  let any = 0;
  let all = WORD | HEX;
  while (isLetter(text.charCodeAt(end))) end += 1;
  for (; end === at || any; end += 1) {
    const code = text.charCodeAt(end);
    const kind = code < 128 ? (KIND[code] as number) : 0;
    if (!(kind & WORD) && !(kind & JOINT && isWord(text.charCodeAt(end + 1)))) break;
    any |= kind;
    all &= kind;
  }
  closeUnit(cursor, end, any, all);
}

function closeUnit(cursor: Cursor, end: number, any: number, all: number): void {
  cursor.unitEnd = end;
  cursor.unitHasDigit = (any & DIGIT) !== 0;
  cursor.unitIsHex = any !== 0 && (all & HEX) !== 0;
}

/** `HAS` bits of the word at `at`: those of its run, and how it stands. */
export function featuresOf(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  let features = cursor.features | standingOf(cursor);
  if (unitEnd - at > 6) features |= HAS.length;
  if (isDigit(text.charCodeAt(unitEnd + 1)) || isDigit(text.charCodeAt(unitEnd + 2))) features |= HAS.digitNext;
  return features;
}

/** `HAS` bits of what stands before the token, and of what is known about the text. */
export function standingOf({ lead, quote, context }: Cursor): number {
  const behind = (lead === 58 || lead === 61 ? HAS.label : 0) | (quote ? HAS.quote : 0);
  return context.taskId === undefined ? behind : behind | HAS.task;
}

/** The word before the token (1) or the one before that (2), in lower case; '' where there is none. */
export function wordBefore(cursor: Cursor, distance: 1 | 2): string {
  const from = distance === 1 ? cursor.lastFrom : cursor.olderFrom;
  const to = distance === 1 ? cursor.lastTo : cursor.olderTo;
  return to - from > 40 ? '' : cursor.text.slice(from, to).toLowerCase();
}

/** The word that begins after spaces and light punctuation at `at`, in lower case; '' where there is none near. */
export function wordAfter(cursor: Cursor, at: number): string {
  const { text } = cursor;
  let from = at;
  const near = at + 4;
  while (from < near && from < text.length && !(kindOf(text.charCodeAt(from)) & WORD)) from += 1;
  let to = from;
  const far = from + 40;
  while (to < far && isWord(text.charCodeAt(to))) to += 1;
  return text.slice(from, to).toLowerCase();
}

/** Up to four letters at `at` as one number, in either case: for asking a small set without making a string. */
export function lettersAt(text: string, at: number, count: number): number {
  let packed = 0;
  for (let i = at; i < at + count; i += 1) packed = (packed << 7) | ((text.charCodeAt(i) | 32) & 127);
  return packed;
}

export const lettersOf = (...words: string[]): ReadonlySet<number> =>
  new Set(words.map((word) => lettersAt(word, 0, word.length)));
