// Finds points in time: ISO and its file-name form, RFC and ctime dates, clock times, with the zone behind them.

import { isDigit, isWord } from './characters.ts';
import { type Cursor, lettersAt, lettersOf, wordBefore } from './cursor.ts';

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[ap]\.?m(?![a-z])\.?)?`;
const ZONE =
  String.raw`(?:\s?(?:\(?[a-z]{2,12}\/[a-z_]{2,20}(?:\/[a-z_]{2,20})?\)?|[+-]\d{2}:?\d{2}(?!\d)` +
  String.raw`|\(?(?:utc|gmt|[pmcea][sd]?t|ces?t|wes?t|ees?t|bst|ist|jst|kst|sgt|hkt|aes?t|aedt|nz[sd]t|z)(?![a-z])(?:[+-]\d{1,2}(?::?\d{2})?)?\)?))?`;
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}';
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const DATE = String.raw`(?:${MONTH}\.?\s{1,2}\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?[\s-]${MONTH})(?:,?[\s-]\d{4}(?![\d:]))?`;
const HOUR = String.raw`(?:${CLOCK}|\d{1,2}\s?[ap]m(?![a-z]))`;

const ISO = new RegExp(
  String.raw`\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[t_\s-]{1,2}\d{1,2}[:-]\d{2}(?:[:-]\d{2})?(?:[.,:-]\d{1,9})?)?${ZONE}`,
  'iy',
);
const NAMED = new RegExp(
  String.raw`(?:${DAY},?\s)?${DATE}(?:,?(?:\sat)?\s${HOUR})?(?:\s\d{4}(?!\d))?${ZONE}|${DAY}(?:\sat)?,?\s${HOUR}${ZONE}`,
  'iy',
);
const AT_CLOCK = new RegExp(CLOCK + ZONE, 'iy');
const FULL_CLOCK = new RegExp(String.raw`(?=\d{1,2}:\d{2}(?::\d{2}|\s?[ap]\.?m|\s?z|\s?utc))${CLOCK}${ZONE}`, 'iy');
const AM_PM = new RegExp(String.raw`\d{1,2}\s?[ap]m(?![a-z])${ZONE}`, 'iy');
const SLASHED = new RegExp(String.raw`\d{1,2}\/\d{1,2}\/\d{2,4}(?:,?\s${HOUR})?${ZONE}`, 'iy');

/** `2026-11-21T20:16:49.882Z`, `2026-11-21 20:16:49,882`, `2026-11-21T20-16-49-882Z`, `11/21/2026`. */
export function scanDate(cursor: Cursor, at: number): number {
  const { text } = cursor;
  if (!isDigit(text.charCodeAt(at))) return 0;
  if (isDigit(text.charCodeAt(at + 2)) && isDigit(text.charCodeAt(at + 3))) return match(ISO, text, at);
  return text.charCodeAt(at + 1) === 47 || text.charCodeAt(at + 2) === 47 ? match(SLASHED, text, at) : 0;
}

/** `Nov 21 20:16:49`, `Sep 18th, 2026 12:04 AM`. */
export function scanMonth(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd - at < 3 || unitEnd - at > 9) return 0;
  return MONTHS.has(lettersAt(text, at, 3)) ? match(NAMED, text, at) : 0;
}

/** `21 Nov 2026 20:16:49 GMT`, `21-Nov-2026`. */
export function scanDayOfMonth(cursor: Cursor, at: number): number {
  const { text } = cursor;
  const first = isDigit(text.charCodeAt(at + 1)) ? at + 2 : at + 1;
  const sign = text.charCodeAt(first);
  if (!isDigit(text.charCodeAt(at)) || (sign !== 32 && sign !== 45)) return 0;
  return MONTHS.has(lettersAt(text, first + 1, 3)) ? match(NAMED, text, at) : 0;
}

/** A weekday in front of a date or an hour. */
export function scanDay(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  const next = text.charCodeAt(unitEnd);
  if (unitEnd - at < 3 || unitEnd - at > 9 || (next !== 32 && next !== 44)) return 0;
  return DAYS.has(lettersAt(text, at, 3)) ? match(NAMED, text, at) : 0;
}

/** `20:16:49.882`, `8:30 PM`, `8pm (America/Los_Angeles)`; `8:30` alone only after "at" and the like. */
export function scanClock(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (!isDigit(text.charCodeAt(at)) || unitEnd - at > 4) return 0;
  if (text.charCodeAt(unitEnd) === 58) {
    if (!isDigit(text.charCodeAt(unitEnd + 1)) || !isDigit(text.charCodeAt(unitEnd + 2))) return 0;
    return match(FULL_CLOCK, text, at) || (AT.has(wordBefore(cursor, 1)) ? match(AT_CLOCK, text, at) : 0);
  }
  // `8pm` as one unit, or `8 pm`.
  return isHalf(text.charCodeAt(unitEnd - 2)) || isHalf(text.charCodeAt(unitEnd + 1)) ? match(AM_PM, text, at) : 0;
}

/** `a` or `p`. */
const isHalf = (code: number): boolean => (code | 32) === 97 || (code | 32) === 112;

const MONTHS = lettersOf('jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec');
const DAYS = lettersOf('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun');
const AT = new Set(['at', 'until', 'by', 'from', 'since', 'time', 'reset', 'resets']);

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) return 0;
  return isWord(text.charCodeAt(pattern.lastIndex)) && isWord(text.charCodeAt(pattern.lastIndex - 1))
    ? 0
    : pattern.lastIndex;
}
