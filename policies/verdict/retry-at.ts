// Finds when the service allows the next call.

import type { Clock } from '../facts/clock.ts';
import { countdownAt, durationAt } from '../facts/duration.ts';
import { foreignPoints, foreignWaits, serviceZone } from '../facts/other-languages.ts';
import { type Point, pointAt } from '../facts/point-in-time.ts';
import { fieldsIn, isReplaced } from '../facts/retry-fields.ts';

/**
 * Returns the latest time that any of the texts names; null if they name none. A past time counts only if the text names one
 * instant: the text may be read long after it was written.
 */
export function retryAt(texts: readonly string[], clock: Clock): Date | null {
  const { times } = timesIn(texts, clock);
  const aheadMs = ({ at }: Point) => at.getTime() - clock.now.getTime();
  const ahead = times.filter((one) => aheadMs(one) > 0 && aheadMs(one) < FARTHEST_MS);
  const passed = times.filter((one) => one.exact && aheadMs(one) <= 0 && aheadMs(one) > -OLDEST_MS);
  const due = ahead.length > 0 ? ahead : passed;
  return due.length === 0 ? null : new Date(Math.max(...due.map(({ at }) => at.getTime())));
}

/**
 * How long the service demands to wait, in milliseconds from the moment it wrote the text, if known. Null if it demands no wait.
 */
export function longestWait(texts: readonly string[], clock: Clock): number | null {
  const { replaced } = timesIn(texts, clock);
  const at = retryAt(texts, clock);
  const waits = [...replaced, ...(at === null ? [] : [at.getTime() - clock.now.getTime()])].filter((ms) => ms > 0);
  return waits.length === 0 ? null : Math.max(...waits);
}

/** A time farther away is a mistake, not a reset. */
const FARTHEST_MS = 400 * 86_400_000;

/** An older reset has no relation to the reported call. */
const OLDEST_MS = 7 * 86_400_000;

/** A zone is slow to look up, and no service names more times than this. */
const MOST = 20;

function timesIn(texts: readonly string[], given: Clock): { times: Point[]; replaced: number[] } {
  const zone = serviceZone(texts);
  const clock = zone === null ? given : { ...given, timeZone: zone, zoneIsKnown: true };
  const fields = texts.map((text) => fieldsIn(text, clock));
  const replaced = fields.flatMap((one) => one.replaced);
  return {
    times: texts.flatMap((text, i) => [...fields[i]!.times, ...sentencesIn(text, replaced, clock)]),
    replaced,
  };
}

interface FoundTime extends Point {
  /** Null for a point in time. */
  waitMs: number | null;
}

/** Reads texts such as "try again in 3 hours 12 minutes", "resets Monday at 8pm (Europe/London)". */
function sentencesIn(text: string, replaced: readonly number[], clock: Clock): readonly Point[] {
  const found = (cues: RegExp) =>
    [...text.matchAll(cues)]
      .slice(0, MOST)
      .flatMap(({ index, 0: cue }) => timeAfter(text, index + cue.length, clock) ?? []);
  const strong = [...found(CUE), ...foreignIn(text, clock)];
  const times = strong.length > 0 ? strong : found(WEAK_CUE);
  return reconciled(
    times.filter(({ waitMs }) => waitMs === null || !isReplaced(waitMs, replaced)),
    clock,
  );
}

const foreignIn = (text: string, clock: Clock): FoundTime[] =>
  NOT_ASCII.test(text)
    ? [
        ...foreignPoints(text, clock).map((point) => ({ ...point, waitMs: null })),
        ...foreignWaits(text).map((waitMs) => waitOf(waitMs, clock)),
      ]
    : foreignWaits(text).map((waitMs) => waitOf(waitMs, clock));

const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * Chooses between points in time and waits in one text. An exact point is right. One without date or zone is wrong if the wait
 * contradicts it.
 */
function reconciled(times: readonly FoundTime[], { now }: Clock): readonly FoundTime[] {
  const exact = times.filter((one) => one.exact);
  if (exact.length > 0) return exact;
  const waits = times.filter(({ waitMs }) => waitMs !== null && waitMs >= HOUR_MS);
  const longest = Math.max(...waits.map(({ waitMs }) => waitMs!));
  return times.filter(
    ({ at, waitMs }) =>
      waitMs !== null || waits.length === 0 || Math.abs(at.getTime() - now.getTime() - longest) <= HOUR_MS,
  );
}

const HOUR_MS = 3_600_000;

const waitOf = (waitMs: number, { now }: Clock): FoundTime => ({
  at: new Date(now.getTime() + Math.ceil(waitMs)),
  exact: false,
  waitMs,
});

/** Not "Retrying after": that is the CLI's own back-off. */
const CUE =
  /(?<![\w-])(?:(?:try|request)(?: \w{1,12}){0,2} again|retry|resets?|refresh(?:es|ed)?|refill(?:s|ed)?|replenish(?:es|ed)?|wait(?!\s+time)|come back|resumes?|regain access|cool-?down|next (?:request|attempt))\b|\b(?:limit|reached|exceeded)(?=\s?\|\s?\d)/gi;

/** These words are used for subscriptions and versions too. */
const WEAK_CUE = /\b(?:renew(?:s|ed)?|available|until)\b/gi;

/** Words and signs that may appear between the cue and the time. */
const BETWEEN =
  /[\s:,;(~≈·•∙|–—-]{1,8}|(?:in|at|on|after|for|by|be|is|will|within|until|about|around|approx(?:imately|\.)?|least|most|less|than|another|the|your|again|next|only|from|every|each|daily|weekly|monthly|allowed|possible|time|limit|quota|usage|before|trying|it|up|to|reset|resets|date|period|window|of|start|beginning)(?![a-z])/iy;
const MOST_BETWEEN = 14;

/** After these, `00:05:30` is a remaining time, not a time of day. */
const SPANS = /^(?:in|after|for|within|wait)$/i;

const RECURS = /^(?:every|each)$/i;

function timeAfter(text: string, from: number, clock: Clock): FoundTime | null {
  let at = from;
  let word = '';
  for (let passed = 0; passed <= MOST_BETWEEN; passed += 1) {
    const duration = durationAt(text, at) ?? (SPANS.test(word) ? countdownAt(text, at) : null);
    // A digit within a word is not a time: `v2 minutes`. Neither is a period such as every 5 hours.
    if (at > from && duration !== null && !RECURS.test(word)) return waitOf(duration, clock);
    const point = at > from ? pointAt(text, at, clock) : null;
    if (point !== null) return { ...point, waitMs: null };
    BETWEEN.lastIndex = at;
    const between = BETWEEN.exec(text)?.[0];
    if (between === undefined) return null;
    at += between.length;
    if (between.trim() !== '') word = between;
  }
  return null;
}
