// When the service says that it may be asked again.

import type { Clock } from './clock.ts';
import { durationAt } from './duration.ts';
import { pointAt } from './point-in-time.ts';

/** The latest time that any of the texts asks for; null when they ask for none that lies ahead. */
export function retryAt(texts: readonly string[], clock: Clock): Date | null {
  let latest: Date | null = null;
  for (const text of texts)
    for (const asked of [...inFields(text, clock), ...inWords(text, clock)]) {
      const ahead = asked.getTime() - clock.now.getTime();
      if (ahead > 0 && ahead < FARTHEST_MS && (latest === null || asked > latest)) latest = asked;
    }
  return latest;
}

/** A zone is slow to look up, and no service names more times than this. */
const MOST = 20;

/** Farther away is a mistake, not a reset. */
const FARTHEST_MS = 400 * 86_400_000;

/** Headers, and fields of JSON and of Node's dumps: `Retry-After: 120`, `"retryDelay":"2s"`, `resets_at: 1795309237`. */
function inFields(text: string, clock: Clock): Date[] {
  const found: Date[] = [];
  for (const { 1: name, index, 0: match } of [...text.matchAll(FIELD)].slice(0, MOST)) {
    const unit = FIELDS[name!.toLowerCase().replace(/[-_ ]/g, '')];
    const asked = unit === undefined ? null : valueAt(text, index + match.length, unit, clock);
    if (asked !== null) found.push(asked);
  }
  return found;
}

const FIELD =
  /(?<![A-Za-z])((?:x-)?(?:rate-?limit-)?(?:quota)?(?:retry|resets?)[A-Za-z_-]{0,24}(?: header)?)["']?\s{0,2}[:=]\s{0,2}["']?/gi;

/** The unit of a bare number. A number too large for a duration is the time itself. */
const FIELDS: Record<string, 'seconds' | 'milliseconds'> = {
  retryafter: 'seconds',
  retryafterheader: 'seconds',
  retryafterseconds: 'seconds',
  retryafterms: 'milliseconds',
  retrydelay: 'seconds',
  retrydelayseconds: 'seconds',
  retrydelayms: 'milliseconds',
  resetsin: 'seconds',
  resetsinseconds: 'seconds',
  resetinseconds: 'seconds',
  resetafter: 'seconds',
  resetafterseconds: 'seconds',
  resetsat: 'seconds',
  resetat: 'seconds',
  resettime: 'seconds',
  quotaresettime: 'seconds',
  quotaresettimestamp: 'seconds',
  quotaresetdelay: 'seconds',
  ratelimitreset: 'seconds',
  xratelimitreset: 'seconds',
  xratelimitresetrequests: 'seconds',
  xratelimitresettokens: 'seconds',
};

function valueAt(text: string, index: number, unit: 'seconds' | 'milliseconds', clock: Clock): Date | null {
  const duration = durationAt(text, index);
  if (duration !== null) return after(duration, clock);
  const bare = /\d{1,13}(?:\.\d{1,6})?(?![\d:TZ-])/y;
  bare.lastIndex = index;
  const number = Number(bare.exec(text)?.[0] ?? Number.NaN);
  if (Number.isNaN(number)) return pointAt(text, index, clock);
  if (number > 1e12) return new Date(number);
  if (number > 1e9) return new Date(number * 1000);
  return after(unit === 'seconds' ? number * 1000 : number, clock);
}

/** Sentences: "try again in 3 hours 12 minutes", "resets at 8pm (Europe/London)". */
function inWords(text: string, clock: Clock): Date[] {
  const found: Date[] = [];
  for (const { index, 0: cue } of [...text.matchAll(CUE)].slice(0, MOST)) {
    const end = index + cue.length;
    const duration = durationAt(text, end);
    const asked = duration === null ? pointAt(text, end, clock) : after(duration, clock);
    if (asked !== null) found.push(asked);
  }
  return found;
}

/** Not "Retrying after": that is the CLI's own back-off. */
const CUE =
  /\b(?:(?:try|request)(?: \w{1,12}){0,2} again|retry|resets?|renews?|refreshes|available(?: again)?|wait(?: until| for)?|until|come back)(?: \w{1,12}){0,2}?(?: (?:in|at|on|after|for|by))?(?: (?:about|around|approximately|at least|another|tomorrow(?: at)?))? (?=\d|an?\b|[A-Z][a-z]{2}|midnight)/gi;

const after = (ms: number, { now }: Clock) => new Date(now.getTime() + Math.ceil(ms));
