// Reads retry times in headers and fields: `Retry-After: 120`, `"retryDelay":"2s"`, `resets_at: 1795309237`.

import type { Clock } from './clock.ts';
import { durationAt } from './duration.ts';
import { epochAt, type Point, pointAt } from './point-in-time.ts';

interface Fields {
  times: Point[];
  /** Waits in milliseconds that a point in time of the same name replaces: it is correct however late the text is read. */
  replaced: number[];
}

export function fieldsIn(text: string, clock: Clock): Fields {
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
export const isReplaced = (waitMs: number, replaced: readonly number[]): boolean =>
  replaced.some((ms) => Math.abs(ms - waitMs) <= Math.max(1000, ms / 100));

interface Field extends Point {
  /** null for a point in time. */
  waitMs: number | null;
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

const MOST = 20;

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

type Value = Pick<Field, 'at' | 'exact' | 'waitMs'>;

function valueAt(text: string, index: number, unitMs: number, clock: Clock): Value | null {
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

const after = (ms: number, { now }: Clock): Value => ({
  at: new Date(now.getTime() + Math.ceil(ms)),
  exact: false,
  waitMs: ms,
});
