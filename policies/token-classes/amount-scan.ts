// Finds amounts with a unit: durations, sizes, and the waits that a service asks for, which are kept in three buckets.

import { isDigit } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { endOf, patternAt } from '../scan/pattern.ts';
import { isOneOf, wordsOf } from '../scan/words.ts';

const TIME_UNIT =
  'ns|[uµμ]s|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?';
const DURATION = patternAt(
  String.raw`\d{1,12}(?:[.,]\d{1,18})?(?:-|\s{0,3})(?:${TIME_UNIT})(?![a-z_])(?:,?\s?(?:and\s)?\d{1,6}(?:\.\d{1,9})?\s?(?:${TIME_UNIT})(?![a-z_])){0,8}(?!\w)`,
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

/** `resets in 8h44m`, `retry after 5s`. */
export function scanWait(cursor: Cursor, at: number): number {
  if (!mayAsk(cursor)) return 0;
  const end = scanDuration(cursor, at);
  return end && ASKS.test(windowBefore(cursor, at)) ? end : 0;
}

/** `resets_in_seconds: 86400`, `Retry-After: 30`, also with a unit behind it. */
export function scanBareWait(cursor: Cursor, at: number): number {
  if (!mayAskInUnit(cursor) || !isWhole(cursor, at) || !ASKS_IN_UNIT.test(windowBefore(cursor, at))) return 0;
  return Math.max(cursor.unitEnd, scanDuration(cursor, at));
}

export function bucket(cursor: Cursor, at: number, end: number): string {
  const amount = cursor.text.slice(at, end);
  const seconds = secondsOf(amount, ASKS_IN_UNIT.exec(windowBefore(cursor, at)));
  return seconds < 60 ? '<wait:s>' : seconds < 3600 ? '<wait:m>' : '<wait:h>';
}

/** `5099ms`, `14.61 seconds`, `1h 2m 3s`, `3 hours and 12 minutes`. */
export const scanDuration = ({ text }: Cursor, at: number): number => endOf(DURATION, text, at);

/** `512 KB`, `1.5GiB`, `8388608 bytes`. */
export const scanSize = ({ text }: Cursor, at: number): number => endOf(SIZE, text, at);

/** `(1.13 KB)` behind `1165 bytes`: one more phrase of the sentence, whatever its unit. */
export function isGloss({ codes, lead, spaced, lastFrom, lastTo }: Cursor): boolean {
  return lead === 40 && !spaced && lastTo - lastFrom > 6 && isOneOf(BYTES, codes, lastTo - 5, lastTo);
}

const BYTES = wordsOf('bytes');

/** A cheap no, for most durations are nothing to wait for: one of the two words before must be of those that ask. */
function mayAsk({ codes, lastFrom, lastTo, olderFrom, olderTo }: Cursor): boolean {
  if (asks(codes, lastFrom, lastTo)) return true;
  return (
    isOneOf(LINKS, codes, lastFrom, lastTo) &&
    (asks(codes, olderFrom, olderTo) || isOneOf(LINKS, codes, olderFrom, olderTo))
  );
}

/** The word ends like one that asks; of a long one, such as `retryDelay`, the pattern has to tell. */
function asks(codes: Uint16Array, from: number, to: number): boolean {
  if (to - from > 9) return true;
  for (let at = from; at < to - 3; at += 1) if (isOneOf(ASKING, codes, at, to)) return true;
  return false;
}

const ASKING = wordsOf('again reset resets retry wait available renew renews refresh refreshes retryin');
const LINKS = wordsOf('in after for another about approximately around at least is up to within the next delay');

/** Behind `resets_in_seconds:` and the like: the label ends with one of a few letters. */
function mayAskInUnit({ codes, lastFrom, lastTo }: Cursor): boolean {
  if (lastFrom === lastTo) return false;
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
