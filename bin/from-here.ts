// Shows times and paths as the reader of a terminal sees them: by the local clock, from the working folder, below `~`.

import path from 'node:path';

interface Reader {
  cwd: string;
  home: string | null;
  now: Date;
}

/** A record keeps UTC and absolute paths. Neither is replaced within a longer word, such as a URL or an option's value. */
export function fromHere(text: string, { cwd, home, now }: Reader): string {
  const near = below(text, cwd, '');
  const short = home === null ? near : below(near, home, '~/');
  return short.replace(INSTANT, (at) => whenWords(at, now));
}

export function readerHere(): Reader | null {
  try {
    return { cwd: process.cwd(), home: process.env.HOME || null, now: new Date() };
  } catch {
    return null; // the working folder was removed
  }
}

const BEFORE = '(?<=^|[\\s(`"\']|\\u001b\\[[\\d;]*m)';
const INSTANT = new RegExp(
  `${BEFORE}\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,3})?)?Z(?![\\w-]|\\.\\w)`,
  'gm',
);

function below(text: string, folder: string, instead: string): string {
  if (!path.isAbsolute(folder) || folder === '/' || !text.includes(folder)) return text;
  const literal = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // A shell does not expand `~` in quotes.
  const before = instead === '' ? BEFORE : BEFORE.replace('"\'', '');
  return text.replace(new RegExp(`${before}${literal}/(?=[^\\s/])`, 'gm'), instead);
}

/** `14:53 (6 min ago)`, `18:06 (in 3 h)`; with the date if it is another day. */
export function whenWords(at: string, now: Date): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  return `${clockWords(time, now)} (${time > now ? `in ${distance(time.getTime() - now.getTime())}` : ago(at, now)})`;
}

const two = (n: number): string => String(n).padStart(2, '0');
const dayOf = (time: Date): string => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

function clockWords(time: Date, now: Date): string {
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return dayOf(time) === dayOf(now) ? clock : `${dayOf(time)} ${clock}`;
}

const UNITS: [unit: string, ms: number][] = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

/** `14:53:07`. */
export function clockTime(at: string): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
}

/** In the largest unit that fits. */
function distance(ms: number): string {
  for (const [unit, each] of UNITS) {
    const count = Math.floor(ms / each);
    if (count > 0) return `${count} ${count === 1 ? unit.replace('days', 'day') : unit}`;
  }
  return `${Math.max(0, Math.ceil(ms / 1000))} s`;
}

export function ago(at: string, now: Date): string {
  const ms = now.getTime() - Date.parse(at);
  return ms < 60_000 ? 'just now' : `${distance(ms)} ago`;
}
