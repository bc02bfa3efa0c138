// Defines volatile tokens of amounts: waits within their bucket, durations, counters, sizes, counts, versions of runtimes.

import { pick, type Random, whole } from '../../random.ts';
import type { TokenKind } from '../operator.ts';

const UNIT = '(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)';
const AMOUNT = String.raw`\d+(?:\.\d+)? ?${UNIT}(?![A-Za-z_])(?:,?(?: and)? ?\d+(?:\.\d+)? ?${UNIT}(?![A-Za-z_]))*`;
const ASKED = String.raw`(?:again|[Rr]esets?|[Rr]etry(?:ing)?|wait|available|renews?)(?: (?:in|after|for|about|another|at least|approximately))+ |[Rr]etry[-_]?[Aa]fter["'\\]{0,3}[:= ]{1,3}["'\\]{0,3}|[Rr]etryDelay["'\\]{0,3}[:= ]{1,2}["'\\]{0,3}`;

export const WAIT = new RegExp(String.raw`(?<=${ASKED})(?:${AMOUNT}|\d+(?!\w))`, 'g');

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** ms, s, m, h or d. */
const unitOf = (word: string): string => (/^(?:ms|milli)/.test(word) ? 'ms' : word.charAt(0));

export function secondsOf(amount: string): number {
  const parts = [...amount.matchAll(/(\d+(?:\.\d+)?)[ -]?([a-z]+)?/gi)];
  return parts.reduce((sum, [, figure, word = 's']) => {
    const unit = unitOf(word.toLowerCase());
    return sum + Number(figure) * (unit === 'ms' ? 0.001 : (SECONDS[unit] ?? 0));
  }, 0);
}

/** Waits under a minute, under an hour and longer ones require different actions. */
export const bucketOf = (seconds: number): 's' | 'm' | 'h' => (seconds < 60 ? 's' : seconds < 3600 ? 'm' : 'h');

const LIMITS = { s: [1, 59], m: [61, 3599], h: [3601, 500_000] } as const;

function inBucket(old: string, random: Random): string {
  const bucket = bucketOf(secondsOf(old));
  for (let tries = 0; tries < 200; tries++) {
    const made = old.replace(/\d+(\.\d+)?/g, (figure, part) => {
      const most = Math.max(59, Number(figure) * 3);
      return part === undefined
        ? String(whole(random, 1, Math.min(most, 500_000)))
        : (random() * most).toFixed(part.length - 1);
    });
    const seconds = secondsOf(made);
    const [least, most] = LIMITS[bucket];
    if (seconds >= least && seconds <= most && made !== old) return made;
  }
  return old;
}

const figures = (old: string, random: Random): string =>
  old.replace(/\d+/g, (figure) => String(whole(random, 10 ** (figure.length - 1), 10 ** figure.length - 1)));

export const AMOUNTS: readonly TokenKind[] = [
  {
    name: 'wait within its bucket',
    find: WAIT,
    make: (old, random) => inBucket(old === '' ? pick(random, ['5s', '20 seconds']) : old, random),
    planted: [' Please try again in *.', ' (retry after *)', ' Resets in *.'],
  },
  {
    name: 'duration',
    find: new RegExp(String.raw`(?<![\w.$-])${AMOUNT}`, 'g'),
    make: (old, random) => figures(old === '' ? pick(random, ['1234ms', '14.61 seconds', '38s']) : old, random),
    planted: [' (took *)', ' (elapsed: *)'],
  },
  {
    name: 'counter of attempts',
    find: /(?<=\b(?:[Aa]ttempts?|[Rr]etry|[Tt]ry|[Rr]etried|[Rr]econnecting\.\.\.) #?)\d+(?:(?:\/| of )\d+)?\b|(?<=\bafter )\d+(?= (?:times|attempts|retries|tries)\b)/g,
    make: (old, random) =>
      old === '' ? String(whole(random, 2, 9)) : old.replace(/\d+/g, () => String(whole(random, 2, 9))),
    planted: [' (attempt *)', ' after * attempts', ' (retried * times)', ' [attempt */10]'],
  },
  {
    name: 'size',
    find: /(?<![\w.])\d+(?:[.,]\d+)? ?(?:bytes?|[KMGT]i?B|kB)\b/g,
    make: (old, random) => figures(old === '' ? '8388608 bytes' : old, random),
    planted: [' (*)', ' after *', ' of *'],
  },
  {
    name: 'large count',
    find: /(?<![\w.:-]|[Dd]elayMs: )(?:\d{1,3}(?:,\d{3})+|\d{5,})(?![\w.:-]*\w)/g,
    make: (old, random) => figures(old === '' ? '1048576' : old, random),
    planted: [' (* tokens)', ', total: *', ' (limit *, used 17)'],
  },
  {
    name: 'version of a runtime',
    find: /(?<=\b(?:Node\.js v|node\/v?|node v|Python |rustc |gemini-cli\/|codex_cli_rs\/|copilot\/|npm\/))\d+\.\d+(?:\.\d+)?/g,
    make: (_old, random) => `${whole(random, 0, 24)}.${whole(random, 0, 120)}.${whole(random, 0, 9)}`,
    planted: [' (node/v*)', ' [gemini-cli/*]'],
  },
];
