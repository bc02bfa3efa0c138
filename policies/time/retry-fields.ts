// Times to try again that stand in headers and fields: `Retry-After: 120`, `"retryDelay":"2s"`, `resets_at: 1795309237`.

import type { Clock } from './clock.ts';
import { durationAt } from './duration.ts';
import { epochAt, pointAt } from './point-in-time.ts';

export function fieldsIn(text: string, clock: Clock): Date[] {
  const found: Date[] = [];
  const asked: Date[] = [];
  for (const { 1: name, index, 0: match } of text.matchAll(FIELD)) {
    const unitMs = unitOf(name!);
    const at = unitMs === null ? null : valueAt(text, index + match.length, unitMs, clock);
    if (at !== null) (/retry/i.test(name!) ? asked : found).push(at);
    if (found.length + asked.length === MOST) break;
  }
  // What the service asks for counts before what it counts with.
  return asked.length > 0 ? asked : found;
}

const MOST = 20;

const FIELD = /(?<![\w-])([A-Za-z][\w-]{4,60}(?: header)?)\\{0,3}["']?\s{0,2}(?:[:=]>?|, )\s{0,2}\\{0,3}["']?/g;

/** The unit of a bare number in milliseconds; null for a field of another meaning, such as `retry_count`. */
function unitOf(name: string): number | null {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('ratelimit', 'rate limit')
    .replace('timestamp', 'time stamp')
    .split(/[-_ ]+/);
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

function valueAt(text: string, index: number, unitMs: number, clock: Clock): Date | null {
  SECONDS_WITHIN.lastIndex = index;
  const within = SECONDS_WITHIN.exec(text);
  if (within !== null) return after(Number(within[1]) * 1000, clock);
  const duration = durationAt(text, index);
  if (duration !== null) return after(duration, clock);
  const epoch = epochAt(text, index);
  if (epoch !== null) return epoch;
  BARE.lastIndex = index;
  const bare = BARE.exec(text)?.[0];
  return bare === undefined ? pointAt(text, index, clock) : after(Number(bare) * unitMs, clock);
}

/** protobuf's Duration as an object. */
const SECONDS_WITHIN = /\{\s{0,20}["']?seconds["']?\s{0,2}:\s{0,2}["']?(\d{1,9})/y;
const BARE = /\d{1,9}(?:\.\d{1,6})?(?![\d:TZ/-])/y;

const after = (ms: number, { now }: Clock) => new Date(now.getTime() + Math.ceil(ms));
