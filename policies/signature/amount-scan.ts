// Finds amounts with a unit: durations, sizes, and the waits that a service asks for, which are kept in three buckets.

import { isAlpha, isDigit, isSpace } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { endOf, patternAt } from './pattern.ts';
import { isOneOf, type Words, wordsOf } from './words.ts';

const TIME_UNIT =
  'ns|[uµμ]s|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?';
const TIME_UNITS = wordsOf(
  'ns us ms msec msecs millisecond milliseconds s sec secs second seconds m min mins minute minutes ' +
    'h hr hrs hour hours d day days w week weeks month months y year years',
);
const SIZE_UNITS = wordsOf(
  'b kb mb gb tb pb kib mib gib tib pib byte bytes kbyte kbytes mbyte mbytes gbyte gbytes tbyte tbytes',
);
const DURATION = patternAt(
  String.raw`\d{1,12}(?:[.,]\d{1,9})?[\s-]?(?:${TIME_UNIT})(?![a-z_])(?:,?\s?(?:and\s)?\d{1,6}(?:\.\d{1,9})?\s?(?:${TIME_UNIT})(?![a-z_])){0,8}(?!\w)`,
);
const SIZE = patternAt(
  String.raw`\d{1,15}(?:[.,]\d{1,9})?\s?(?:[kmgtp]i?b|bytes?|[kmgt]bytes?)(?:\/s(?:ec)?)?(?![a-z_])`,
);
const PART = new RegExp(String.raw`(\d+(?:\.\d+)?)[\s-]?(${TIME_UNIT})(?![a-z_])`, 'gi');

// What asks for a wait ends right before the amount: "try again in", "resets in", "Retry-After:", `"retryDelay":"`.
const ASKS =
  /(?:again|resets?|retry[ _-]?(?:after|delay|in)?|wait|available|renews?|refresh(?:es)?)(?:[^a-z0-9]+(?:in|after|for|another|about|approximately|around|at|least|is|up|to|within|the|next))*[^a-z0-9]*$/;
const ASKS_IN_UNIT =
  /(?:reset|retry|wait)[a-z_-]*?(?:_|in)(seconds?|secs?|ms|milliseconds|minutes|hours)[^a-z0-9]*$|(retry-after)[^a-z0-9]*$/i;

/** `resets in 8h44m`, `retry after 5s`, `resets_in_seconds: 86400`. */
export function scanWait(cursor: Cursor, at: number): number {
  const end = scanDuration(cursor, at);
  if (end) return ASKS.test(windowBefore(cursor, at)) ? end : 0;
  if (!mayAskInUnit(cursor) || !isWhole(cursor, at)) return 0;
  return ASKS_IN_UNIT.test(windowBefore(cursor, at)) ? cursor.unitEnd : 0;
}

export function bucket(cursor: Cursor, at: number, end: number): string {
  const amount = cursor.text.slice(at, end);
  const seconds = secondsOf(amount, ASKS_IN_UNIT.exec(windowBefore(cursor, at)));
  return seconds < 60 ? '<wait:s>' : seconds < 3600 ? '<wait:m>' : '<wait:h>';
}

/** `5099ms`, `14.61 seconds`, `1h 2m 3s`, `3 hours and 12 minutes`. */
export const scanDuration = ({ text, codes }: Cursor, at: number): number =>
  hasUnit(TIME_UNITS, codes, at) ? endOf(DURATION, text, at) : 0;

/** `512 KB`, `1.5GiB`, `8388608 bytes`. */
export const scanSize = ({ text, codes }: Cursor, at: number): number =>
  hasUnit(SIZE_UNITS, codes, at) ? endOf(SIZE, text, at) : 0;

/** Whether one of these units follows the figure at `at`: most figures have none, and no pattern is tried on them. */
function hasUnit(units: Words, codes: Uint16Array, at: number): boolean {
  let from = at + 1;
  while (from < at + 30 && (isDigit(codes[from]!) || codes[from] === 46 || codes[from] === 44)) from += 1;
  if (isSpace(codes[from]!) || codes[from] === 45) from += 1;
  let to = from;
  while (to < from + 12 && isLetterOfUnit(codes[to]!)) to += 1;
  return isOneOf(units, codes, from, to) || codes[from] === 181 || codes[from] === 956;
}

const isLetterOfUnit = (code: number): boolean => isAlpha(code) && code !== 95;

/** Behind `resets_in_seconds:` and the like: the label ends with one of a few letters. */
function mayAskInUnit({ codes, lead, lastFrom, lastTo }: Cursor): boolean {
  if ((lead !== 58 && lead !== 61) || lastFrom === lastTo) return false;
  const end = codes[lastTo - 1]! | 32;
  return end === 115 || end === 100 || end === 99 || end === 114;
}

function isWhole({ codes, unitEnd }: Cursor, at: number): boolean {
  if (unitEnd - at > 10) return false;
  for (let i = at; i < unitEnd; i += 1) if (!isDigit(codes[i]!)) return false;
  return true;
}

const windowBefore = ({ text }: Cursor, at: number): string => text.slice(Math.max(0, at - 40), at).toLowerCase();

function secondsOf(amount: string, unitBefore: RegExpExecArray | null): number {
  const whole = /^\d+$/.test(amount) ? `${amount} ${unitBefore?.[1] ?? 's'}` : amount;
  let seconds = 0;
  for (const [, figure, unit] of whole.matchAll(PART)) seconds += Number(figure) * SECONDS(String(unit).toLowerCase());
  return seconds;
}

const SECONDS = (unit: string): number => {
  if (/^(?:ns|.s$|ms|milli)/.test(unit) && unit !== 's') return unit.startsWith('m') ? 0.001 : 0;
  if (unit.startsWith('mo')) return 2_592_000;
  return { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }[unit.charAt(0)] ?? 0;
};
