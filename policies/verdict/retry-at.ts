// When the service says that it may be asked again.

import type { Clock } from '../time/clock.ts';
import { countdownAt, durationAt } from '../time/duration.ts';
import { pointAt } from '../time/point-in-time.ts';
import { fieldsIn } from '../time/retry-fields.ts';

/** The latest time that any of the texts asks for; null when they ask for none that lies ahead. */
export function retryAt(texts: readonly string[], clock: Clock): Date | null {
  let latest: Date | null = null;
  for (const text of texts)
    for (const asked of [...fieldsIn(text, clock), ...sentencesIn(text, clock)]) {
      const ahead = asked.getTime() - clock.now.getTime();
      if (ahead > 0 && ahead < FARTHEST_MS && (latest === null || asked > latest)) latest = asked;
    }
  return latest;
}

/** Farther away is a mistake, not a reset. */
const FARTHEST_MS = 400 * 86_400_000;

/** A zone is slow to look up, and no service names more times than this. */
const MOST = 20;

/** "try again in 3 hours 12 minutes", "resets Monday at 8pm (Europe/London)". */
function sentencesIn(text: string, clock: Clock): Date[] {
  const found = (cues: RegExp) =>
    [...text.matchAll(cues)]
      .slice(0, MOST)
      .flatMap(({ index, 0: cue }) => timeAfter(text, index + cue.length, clock) ?? []);
  const asked = found(CUE);
  return asked.length > 0 ? asked : found(WEAK_CUE);
}

/** Not "Retrying after": that is the CLI's own back-off. */
const CUE =
  /(?<![\w-])(?:(?:try|request)(?: \w{1,12}){0,2} again|retry|resets?|refresh(?:es|ed)?|refill(?:s|ed)?|replenish(?:es|ed)?|wait(?!\s+time)|come back|resumes?|regain access|cool-?down|next (?:request|attempt))\b/gi;

/** These are said of subscriptions and versions too. */
const WEAK_CUE = /\b(?:renew(?:s|ed)?|available|until)\b/gi;

/** Words and signs that may stand between the cue and the time. */
const BETWEEN =
  /[\s:,;(~≈·•|–—-]{1,8}|(?:in|at|on|after|for|by|be|is|will|within|until|about|around|approx(?:imately|\.)?|least|most|less|than|another|the|your|again|next|only|from|every|each|daily|weekly|monthly|allowed|possible|time|limit|quota|usage|before|trying|it|up|to|reset|resets|date|period|window|of|start|beginning)(?![a-z])/iy;
const MOST_BETWEEN = 14;

/** These make of `00:05:30` a time that is left, not one on the wall. */
const SPANS = /^(?:in|after|for|within|wait)$/i;

const RECURS = /^(?:every|each)$/i;

function timeAfter(text: string, from: number, clock: Clock): Date | null {
  let at = from;
  let word = '';
  for (let passed = 0; passed <= MOST_BETWEEN; passed += 1) {
    const duration = durationAt(text, at) ?? (SPANS.test(word) ? countdownAt(text, at) : null);
    // A digit within a word is no time: `v2 minutes`; nor is what comes every 5 hours.
    if (at > from && duration !== null && !RECURS.test(word))
      return new Date(clock.now.getTime() + Math.ceil(duration));
    const point = at > from ? pointAt(text, at, clock) : null;
    if (point !== null) return point;
    BETWEEN.lastIndex = at;
    const between = BETWEEN.exec(text)?.[0];
    if (between === undefined) return null;
    at += between.length;
    if (between.trim() !== '') word = between;
  }
  return null;
}
