// Finds points in time: ISO and its file-name form, RFC and ctime dates, clock times, with the zone behind them.

import { isDigit, isWord } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { endOf, patternAt } from '../scan/pattern.ts';
import { isAfter, isOneOf, wordsOf } from '../scan/words.ts';

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[ap]\.?m(?![a-z])\.?)?`;
const ZONE =
  String.raw`(?:\s?(?:\(?[a-z]{2,12}\/[a-z_]{2,20}(?:\/[a-z_]{2,20})?\)?|[+-]\d{2}:?\d{2}(?!\d)` +
  String.raw`|\(?(?:utc|gmt|[pmcea][sd]?t|ces?t|wes?t|ees?t|bst|ist|jst|kst|sgt|hkt|aes?t|aedt|nz[sd]t|z)(?![a-z])(?:[+-]\d{1,2}(?::?\d{2})?)?\)?))?`;
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}';
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const DATE = String.raw`(?:${MONTH}\.?\s{1,2}\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?[\s-]${MONTH})(?:,?[\s-]\d{4}(?![\d:]))?`;
const HOUR = String.raw`(?:${CLOCK}|\d{1,2}\s?[ap]m(?![a-z]))`;

const ISO = patternAt(
  String.raw`\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[t_\s-]{1,2}\d{1,2}[:-]\d{2}(?:[:-]\d{2})?(?:[.,:-]\d{1,9})?)?${ZONE}`,
);
const NAMED = patternAt(
  String.raw`(?:${DAY},?\s)?${DATE}(?:,?(?:\sat)?\s${HOUR})?(?:\s\d{4}(?!\d))?${ZONE}|${DAY}(?:\sat)?,?\s${HOUR}${ZONE}`,
);
const AT_CLOCK = patternAt(CLOCK + ZONE);
const FULL_CLOCK = patternAt(String.raw`(?=\d{1,2}:\d{2}(?::\d{2}|\s?[ap]\.?m|\s?z|\s?utc))${CLOCK}${ZONE}`);
const AM_PM = patternAt(String.raw`\d{1,2}\s?[ap]m(?![a-z])${ZONE}`);
const SLASHED = patternAt(String.raw`\d{1,2}\/\d{1,2}\/\d{2,4}(?:,?\s${HOUR})?${ZONE}`);

/** `2026-11-21T20:16:49.882Z`, `2026-11-21 20:16:49,882`, `2026-11-21T20-16-49-882Z`, `11/21/2026`. */
export function scanDate({ text, codes }: Cursor, at: number): number {
  if (codes[at + 1] === 47 || codes[at + 2] === 47) return match(SLASHED, text, codes, at);
  const sign = codes[at + 4];
  return sign === 45 || sign === 46 || sign === 47 ? match(ISO, text, codes, at) : 0;
}

/** `Nov 21 20:16:49`, `Sep 18th, 2026 12:04 AM`. */
export function scanMonth({ text, codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd - at < 3 || unitEnd - at > 9) return 0;
  return isOneOf(MONTHS, codes, at, at + 3) ? match(NAMED, text, codes, at) : 0;
}

/** `21 Nov 2026 20:16:49 GMT`, `21-Nov-2026`. */
export function scanDayOfMonth({ text, codes }: Cursor, at: number): number {
  const sign = isDigit(codes[at + 1]!) ? at + 2 : at + 1;
  if (codes[sign] !== 32 && codes[sign] !== 45) return 0;
  return isOneOf(MONTHS, codes, sign + 1, sign + 4) ? match(NAMED, text, codes, at) : 0;
}

/** A weekday in front of a date or an hour. */
export function scanDay({ text, codes, unitEnd }: Cursor, at: number): number {
  const next = codes[unitEnd];
  if (unitEnd - at < 3 || unitEnd - at > 9 || (next !== 32 && next !== 44)) return 0;
  return isOneOf(DAYS, codes, at, at + 3) ? match(NAMED, text, codes, at) : 0;
}

/** `20:16:49.882`, `8:30 PM`, `8pm (America/Los_Angeles)`; `8:30` alone only after "at" and the like. */
export function scanClock(cursor: Cursor, at: number): number {
  const { text, codes, unitEnd } = cursor;
  if (unitEnd - at > 4) return 0;
  if (codes[unitEnd] === 58) {
    if (!isDigit(codes[unitEnd + 1]!) || !isDigit(codes[unitEnd + 2]!)) return 0;
    return match(FULL_CLOCK, text, codes, at) || (isAfter(AT, cursor) ? match(AT_CLOCK, text, codes, at) : 0);
  }
  // `8pm` as one unit, or `8 pm`.
  const isHour = unitEnd - at > 1 && isHalf(codes[unitEnd - 2]!);
  return isHour || isHalf(codes[unitEnd + 1]!) ? match(AM_PM, text, codes, at) : 0;
}

/** `a` or `p`. */
const isHalf = (code: number): boolean => (code | 32) === 97 || (code | 32) === 112;

const MONTHS = wordsOf('jan feb mar apr may jun jul aug sep oct nov dec');
const DAYS = wordsOf('mon tue wed thu fri sat sun');
const AT = wordsOf('at until by from since time reset resets');

/** The offset past a time that does not end within a word, or 0. */
function match(pattern: RegExp, text: string, codes: Uint16Array, at: number): number {
  const end = endOf(pattern, text, at);
  return end > 0 && isWord(codes[end]!) && isWord(codes[end - 1]!) ? 0 : end;
}
