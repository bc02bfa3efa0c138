// Finds amounts with a unit: durations, sizes, and the waits that a service asks for, which are kept in three buckets.

import { isDigit } from './characters.ts';
import type { Cursor } from './cursor.ts';

const TIME_UNIT =
  'ns|[uµμ]s|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?';
const DURATION = new RegExp(
  String.raw`\d{1,12}(?:[.,]\d{1,9})?[\s-]?(?:${TIME_UNIT})(?![a-z_])(?:,?\s?(?:and\s)?\d{1,6}(?:\.\d{1,9})?\s?(?:${TIME_UNIT})(?![a-z_]))*`,
  'iy',
);
const SIZE = /\d{1,15}(?:[.,]\d{1,9})?\s?(?:[kmgtp]i?b|bytes?|[kmgt]bytes?)(?:\/s(?:ec)?)?(?![a-z_])/iy;
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
  if ((cursor.lead !== 58 && cursor.lead !== 61) || cursor.lastFrom === cursor.lastTo || !isWhole(cursor, at)) return 0;
  return ASKS_IN_UNIT.test(windowBefore(cursor, at)) ? cursor.unitEnd : 0;
}

export function bucket(cursor: Cursor, at: number, end: number): string {
  const amount = cursor.text.slice(at, end);
  const seconds = secondsOf(amount, ASKS_IN_UNIT.exec(windowBefore(cursor, at)));
  return seconds < 60 ? '<wait:s>' : seconds < 3600 ? '<wait:m>' : '<wait:h>';
}

/** `5099ms`, `14.61 seconds`, `1h 2m 3s`, `3 hours and 12 minutes`. */
export function scanDuration(cursor: Cursor, at: number): number {
  return endOf(DURATION, cursor, at);
}

/** `512 KB`, `1.5GiB`, `8388608 bytes`. */
export function scanSize(cursor: Cursor, at: number): number {
  return endOf(SIZE, cursor, at);
}

function endOf(pattern: RegExp, cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  // Most numbers have no unit: look for a letter in or right behind the unit before trying the pattern.
  const last = text.charCodeAt(unitEnd - 1) | 32;
  const next = text.charCodeAt(unitEnd + 1) | 32;
  if (!isDigit(text.charCodeAt(at)) || !((last > 96 && last < 123) || last === 181 || (next > 96 && next < 123)))
    return 0;
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

function isWhole(cursor: Cursor, at: number): boolean {
  if (cursor.unitEnd - at > 10) return false;
  for (let i = at; i < cursor.unitEnd; i += 1) if (!isDigit(cursor.text.charCodeAt(i))) return false;
  return true;
}

const windowBefore = (cursor: Cursor, at: number): string => cursor.text.slice(Math.max(0, at - 40), at).toLowerCase();

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
