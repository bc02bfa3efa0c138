// Finds when the service allows the next call: in its sentences, headers and fields.

import type { Clock } from '../facts/clock.ts';
import { countdownAt, durationAt } from '../facts/duration.ts';
import { epochAt, foreignPoints, foreignWaits, type Point, pointAt, serviceZone } from '../facts/point-in-time.ts';

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

/** How long the service demands to wait, in ms from when it wrote the text; null if it demands no wait. */
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

/** A zone is slow to look up, and no service names more times than this, or more fields. */
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

const foreignIn = (text: string, clock: Clock): FoundTime[] => [
  ...foreignPoints(text, clock).map((point) => ({ ...point, waitMs: null })),
  ...foreignWaits(text).map((waitMs) => waitOf(waitMs, clock)),
];

/** Of points in time and waits in one text, an exact point is right, an incomplete one only if no wait disagrees. */
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
const WEAK_CUE = /\b(?:renew(?:s|ed)?|available|(?<!\bvalid )until)\b/gi;

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

/** The times in headers and fields: `Retry-After: 120`, `"retryDelay":"2s"`, `resets_at: 1795309237`. */
interface Fields {
  times: Point[];
  /** Waits in milliseconds that a point in time of the same name replaces: it is correct however late the text is read. */
  replaced: number[];
}

function fieldsIn(text: string, clock: Clock): Fields {
  const found: Field[] = [];
  for (const { 1: name, index, 0: match } of text.matchAll(FIELD)) {
    const words = wordsOf(name!);
    const unitMs = unitOf(words);
    const value = unitMs === null ? null : valueAt(text, index + match.length, unitMs, clock);
    if (value !== null) found.push({ ...value, stem: stemOf(words), asks: words.includes('retry') });
    if (found.length === MOST) break;
  }
  const points = found.filter(({ exact }) => exact);
  const replaced = found.filter(({ waitMs, stem }) => waitMs !== null && points.some((point) => point.stem === stem));
  const waits = replaced.map(({ waitMs }) => waitMs!);
  const remaining = found.filter(({ waitMs }) => waitMs === null || !isReplaced(waitMs, waits));
  // A requested wait takes priority over the other times that the service reports.
  const requested = remaining.filter(({ asks }) => asks);
  return { times: requested.length > 0 ? requested : remaining, replaced: waits };
}

/** The same wait in another place or in rounded form. */
const isReplaced = (waitMs: number, replaced: readonly number[]): boolean =>
  replaced.some((ms) => Math.abs(ms - waitMs) <= Math.max(1000, ms / 100));

interface Field extends FoundTime {
  stem: string;
  asks: boolean;
}

/** `quotaResetDelay` and `quotaResetTimeStamp` refer to the same reset, as `resets_at` and `resets_in_seconds` do. */
const stemOf = (words: readonly string[]): string =>
  words
    .filter((word) => !FORM_WORDS.has(word))
    .join(' ')
    .replaceAll('resets', 'reset');

const FORM_WORDS = new Set(
  'after delay in at on time date stamp epoch unix utc iso value seconds secs sec s ms milliseconds millis minutes'.split(
    ' ',
  ),
);

const FIELD = /(?<![\w-])([A-Za-z][\w-]{4,60}(?: header)?)\\{0,3}["']?\s{0,2}(?:[:=]>?|, )\s{0,2}\\{0,3}["']?/g;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('ratelimit', 'rate limit')
    .replace('timestamp', 'time stamp')
    .split(/[-_ ]+/);

/** The unit of a bare number in milliseconds; null for a field of another meaning, such as `retry_count`. */
function unitOf(words: readonly string[]): number | null {
  const has = (word: string) => words.includes(word);
  const resets = has('reset') || has('resets');
  if (!resets && !(has('retry') && AFTER.some(has)) && !has('cooldown')) return null;
  if (!words.every((word) => WORDS.has(word))) return null;
  if (has('ms') && words.at(-1) === 'ms') return 1;
  return has('milliseconds') || has('millis') ? 1 : has('minutes') ? 60_000 : 1000;
}

const AFTER = ['after', 'delay', 'in', 'at'];
const WORDS = new Set(
  (
    'x ms amz amzn google goog openai anthropic codex github copilot azure rate limit limits quota usage plan primary secondary ' +
    'requests request tokens token input output priority model retry reset resets cooldown after delay in at on time date stamp ' +
    'epoch unix utc iso header value seconds secs sec s milliseconds millis minutes next window daily day weekly week hourly hour month monthly remaining'
  ).split(' '),
);

function valueAt(text: string, index: number, unitMs: number, clock: Clock): FoundTime | null {
  SECONDS_WITHIN.lastIndex = index;
  const within = SECONDS_WITHIN.exec(text);
  if (within !== null) return after(Number(within[1]) * 1000, clock);
  const duration = durationAt(text, index);
  if (duration !== null) return after(duration, clock);
  const epoch = epochAt(text, index);
  if (epoch !== null) return { at: epoch, exact: true, waitMs: null };
  BARE.lastIndex = index;
  const bare = BARE.exec(text)?.[0];
  if (bare !== undefined) return after(Number(bare) * unitMs, clock);
  const point = pointAt(text, index, clock);
  return point === null ? null : { ...point, waitMs: null };
}

/** protobuf's Duration as an object. */
const SECONDS_WITHIN = /\{\s{0,20}["']?seconds["']?\s{0,2}:\s{0,2}["']?(\d{1,9})/y;
const BARE = /\d{1,9}(?:\.\d{1,6})?(?![\d:TZ/-])/y;

const after = (ms: number, { now }: Clock): FoundTime => ({
  at: new Date(now.getTime() + Math.ceil(ms)),
  exact: false,
  waitMs: ms,
});
