// Reads points in time as services write them: `8pm (Europe/London)`, `Sep 18th, 2026 12:04 AM`, an ISO date.

import type { Clock } from './clock.ts';
import { instantOf, type WallTime, wallTimeOf, zoneOf } from './zone.ts';

/** The next such time from now on; null when none stands at that place of the text. */
export function pointAt(text: string, index: number, clock: Clock): Date | null {
  for (const { pattern, read } of FORMS) {
    pattern.lastIndex = index;
    const found = pattern.exec(text);
    if (found) return read(found, text.slice(pattern.lastIndex, pattern.lastIndex + 40), clock);
  }
  return null;
}

interface Form {
  pattern: RegExp;
  /** @param rest what follows, where a zone may stand. */
  read(found: RegExpExecArray, rest: string, clock: Clock): Date | null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const CLOCK = '(\\d{1,2})(?::(\\d\\d))?(?::\\d\\d)? ?([ap]\\.?m\\b\\.?)?';

/** More telling first. */
const FORMS: Form[] = [
  {
    pattern: /(?:mon|tue|wed|thu|fri|sat|sun), \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT/iy,
    read: ([date]) => dateOf(date),
  },
  {
    pattern: /(\d{4})-(\d\d)-(\d\d)(?:(?:T| (?:at )?)(\d\d):(\d\d)(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?/iy,
    read: ([, year, month, day, hour, minute, zone], rest, clock) =>
      wall({ year, month, day, hour, minute }, `${zone ?? ''}${rest}`, clock),
  },
  {
    pattern: new RegExp(`${MONTH} ${DAY}(?:,? (\\d{4})\\b)?(?:,? (?:at )?${CLOCK})?`, 'iy'),
    read: ([, month, day, year, hour, minute, half], rest, clock) =>
      wall({ year, month: monthOf(month!), day, hour: hourOf(hour, half), minute }, rest, clock),
  },
  {
    pattern: new RegExp(`${DAY} ${MONTH},?(?: (\\d{4})\\b)?(?:,? (?:at )?${CLOCK})?`, 'iy'),
    read: ([, day, month, year, hour, minute, half], rest, clock) =>
      wall({ year, month: monthOf(month!), day, hour: hourOf(hour, half), minute }, rest, clock),
  },
  { pattern: /midnight\b/iy, read: (_found, rest, clock) => wall({ hour: '0' }, rest, clock) },
  {
    pattern: /(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap]\.?m\b\.?)/iy,
    read: ([, hour, minute, half], rest, clock) => wall({ hour: hourOf(hour, half), minute }, rest, clock),
  },
  {
    pattern: /(\d{1,2}):(\d\d)(?::\d\d)?/iy,
    read: ([, hour, minute], rest, clock) => wall({ hour, minute }, rest, clock),
  },
];

function dateOf(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

const monthOf = (name: string) => String(MONTHS.indexOf(name.toLowerCase()) + 1);

function hourOf(hour: string | undefined, half: string | undefined): string | undefined {
  if (hour === undefined || half === undefined) return hour;
  return String((Number(hour) % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0));
}

type Told = { [Part in keyof WallTime]?: string | undefined };

/** What is not told is the next that comes: a time alone is today or tomorrow, a date without a year this year or next. */
function wall(told: Told, rest: string, clock: Clock): Date | null {
  const zone = zoneIn(rest) ?? zoneOf(clock.timeZone ?? 'UTC') ?? 'UTC';
  const today = wallTimeOf(clock.now, zone);
  const part = (name: keyof WallTime, otherwise: number) => (told[name] === undefined ? otherwise : Number(told[name]));
  const time = { hour: part('hour', 0), minute: part('minute', 0) };
  const dated = told.day !== undefined;
  const date = { year: part('year', today.year), month: part('month', today.month), day: part('day', today.day) };
  if (date.month < 1 || date.month > 12 || date.day > 31 || time.hour > 24 || time.minute > 59) return null;
  const first = instantOf({ ...date, ...time }, zone);
  if (first > clock.now || told.year !== undefined) return first;
  const next = dated ? { ...date, year: date.year + 1 } : { ...date, day: date.day + 1 };
  return instantOf({ ...next, ...time }, zone);
}

function zoneIn(rest: string): string | null {
  const name =
    /^[\s,]{0,2}(?:in )?\(?\s?([+-]\d\d:?\d\d|[A-Za-z]+(?:\/[A-Za-z_+-]+){1,2}|[A-Z]{1,4}\b|(?:pacific|eastern)(?: time)?)/i.exec(
      rest,
    )?.[1];
  return name === undefined ? null : zoneOf(name);
}
