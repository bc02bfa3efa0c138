// Formats numbers, money, durations and dates.

const COUNT = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** The time of day, such as `09:04:31`. */
export const clockTime = (at: string): string => CLOCK.format(Date.parse(at));

const MINUTE = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** When a wait is over, rounded up: such as `17:21`; with the date if that is a day ahead. */
export function minuteTime(at: string): string {
  const time = Math.ceil(Date.parse(at) / 60_000) * 60_000;
  return time - Date.now() < 86_400_000 ? MINUTE.format(time) : dated(at);
}

export const count = (n: number): string => COUNT.format(n);

/** 1,234 as it is, 1,234,567 as 1.2M. */
export const short = (n: number): string => (n < 10_000 ? COUNT.format(n) : SHORT.format(n));

export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** null is unknown, and never 0. @param without how many calls the sum lacks, since their price is not known. */
export function money(usd: number | null, without = 0, one = 'call'): string {
  if (usd === null || (usd === 0 && without > 0))
    return without > 0 ? `${counted(without, one)}, no price` : 'no price';
  const sum = usd > 0 && usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`;
  return without > 0 ? `${sum} + ${counted(without, one)} without a price` : sum;
}

/** Why there is no price, and how there can be one. */
export const NO_PRICE =
  'Their CLIs reported no cost. With `prices` in tollgate.yaml, it is computed from their tokens.';

/** The same for tokens. */
export function tokens(n: number | null, without = 0): string {
  if (n === null || (n === 0 && without > 0)) return 'unknown';
  return without > 0 ? `≥ ${short(n)}` : short(n);
}

/** Says why a sum is a lower bound: `2 calls without a price`; empty if it is complete. */
export const lacking = (without: number, what: 'price' | 'tokens', one = 'call'): string =>
  without === 0 ? '' : `${counted(without, one)} ${what === 'price' ? 'without a price' : 'without token counts'}`;

export const bytes = (n: number): string =>
  n < 1024 ? `${n} B` : n < 1024 ** 2 ? `${(n / 1024).toFixed(1)} kB` : `${(n / 1024 ** 2).toFixed(1)} MB`;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats the two largest units: `2 h 5 min`. */
export function lasting(ms: number): string {
  const rest = Math.max(0, ms);
  const at = UNITS.findIndex(([, unit]) => rest >= unit);
  if (at < 0) return rest < 100 ? `${Math.round(rest)} ms` : `${(rest / 1_000).toFixed(1)} s`;
  const [unit, size] = UNITS[at]!;
  const first = `${Math.floor(rest / size)} ${unit}`;
  const next = UNITS[at + 1];
  if (next === undefined) return first;
  const further = Math.floor((rest % size) / next[1]);
  return further === 0 ? first : `${first} ${further} ${next[0]}`;
}

/** Such as `3 min ago`. A past event of another clock, or from before the clock was set back, is not in the future. */
export function since(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return 'at an unknown time';
  if (ms < 1_500) return 'just now';
  const [unit, size] = UNITS.find(([, size]) => ms >= size)!;
  return `${Math.floor(ms / size)} ${unit} ago`;
}

export function dated(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? 'an unknown time' : DATE.format(time);
}

/** Names in a sentence, such as `gemini, codex and claude`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
