// Reads points in time as services write them: `8pm (Europe/London)`, `Sep 18th, 2026 12:04 AM`, `Monday`, an ISO date.

import type { Clock } from './clock.ts';
import { instantOf, type WallTime, wallTimeOf, zoneOf } from './zone.ts';

export interface Point {
  at: Date;
  /** The text names one instant, with date, hour and zone, so our clock is not needed. */
  exact: boolean;
}

/** Returns the next such time from now on; null if there is none at that place of the text. */
export function pointAt(text: string, index: number, clock: Clock): Point | null {
  const epoch = epochAt(text, index);
  if (epoch !== null) return { at: epoch, exact: true };
  for (const { pattern, read } of FORMS) {
    pattern.lastIndex = index;
    const found = pattern.exec(text);
    if (!found) continue;
    const parts = found.groups ?? {};
    const rest = text.slice(pattern.lastIndex, pattern.lastIndex + 40);
    const at = read(parts, rest, clock);
    const dated = parts.year !== undefined && parts.hour !== undefined;
    return at === null ? null : { at, exact: dated && (clock.zoneIsKnown === true || zoneIn(rest) !== null) };
  }
  return null;
}

/** Seconds or milliseconds since 1970. */
export function epochAt(text: string, index: number): Date | null {
  EPOCH.lastIndex = index;
  const number = EPOCH.exec(text)?.[0];
  return number === undefined ? null : new Date(Number(number) * (number.length < 13 ? 1000 : 1));
}

const EPOCH = /[12]\d{9}(?:\d{3})?(?![\w:/-])/y;

type Parts = Partial<Record<string, string>>;

interface Form {
  pattern: RegExp;
  /** @param rest the following text, which may contain a zone. */
  read(parts: Parts, rest: string, clock: Clock): Date | null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH = '(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const WEEKDAY = '(?<weekday>sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday|s|rs|r|nes)?\\b\\.?';
const SECONDS = '(?::(?<second>\\d\\d(?:\\.\\d{1,9})?))?';
const CLOCK = `(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?${SECONDS} ?(?<half>[ap]\\.?m\\b\\.?)?`;
/** A clock time that cannot be just a number. */
const TIME = `(?=\\d{1,2}(?::\\d\\d| ?[ap]\\.?m\\b))${CLOCK}`;
const AT = ',?(?: at| @)?';

const form = (source: string, read: Form['read'] = wall): Form => ({ pattern: new RegExp(source, 'iy'), read });

/** More specific first. */
const FORMS: readonly Form[] = [
  form(`(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)(?:(?:T|${AT} )(?<hour>\\d\\d):(?<minute>\\d\\d)${SECONDS})?`),
  form(`(?<year>\\d{4})/(?<month>\\d\\d?)/(?<day>\\d\\d?)(?:${AT} ${CLOCK})?`),
  form(`(?<day>\\d\\d?)\\.(?<month>\\d\\d?)\\.(?<year>\\d{4})(?:${AT} ${CLOCK})?`),
  // In the American order, unless that is impossible.
  form(`(?<month>\\d\\d?)/(?<day>\\d\\d?)/(?<year>\\d{4})(?:${AT} ${CLOCK})?`, (parts, rest, clock) =>
    wall(Number(parts.month) > 12 ? { ...parts, month: parts.day, day: parts.month } : parts, rest, clock),
  ),
  form(`(?:${WEEKDAY},? )?${MONTH} ${DAY} (?<hour>\\d\\d):(?<minute>\\d\\d)${SECONDS} (?<year>\\d{4})\\b`),
  form(`(?:${WEEKDAY},? )?${MONTH} ${DAY}(?:,? (?<year>\\d{4})\\b)?(?:${AT} ${CLOCK})?`),
  form(`(?:${WEEKDAY},? )?${DAY}[ -]${MONTH},?(?:[ -](?<year>\\d{4})\\b)?(?:${AT} ${CLOCK})?`),
  // codex: `resets 16:21 on 19 May`; copilot: `at 2:00 AM on April 20, 2026`.
  form(`${TIME} on (?:${WEEKDAY},? )?(?:the )?${DAY}(?: of)? ${MONTH}(?:,? (?<year>\\d{4})\\b)?`),
  form(`${TIME} on (?:${WEEKDAY},? )?${MONTH} ${DAY}(?:,? (?<year>\\d{4})\\b)?`),
  form(`${TIME} on (?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)`),
  form(`(?<month>\\d\\d?)/(?<day>\\d\\d?)${AT} ${TIME}`),
  form(`tomorrow(?:${AT} ${CLOCK})?`, onDay(1)),
  form(`today(?:${AT} ${CLOCK})`, onDay(0)),
  form(`${WEEKDAY}(?:${AT} ${CLOCK})?`, onWeekday),
  form('(?:midnight|00:00)\\b', (_parts, rest, clock) => wall({ hour: '0' }, rest, clock)),
  form('noon\\b', (_parts, rest, clock) => wall({ hour: '12' }, rest, clock)),
  form('(?:the )?(?:1st|first)(?: day)? of (?:the |each |every |next )*month', (_parts, rest, clock) =>
    wall({ day: '1' }, rest, clock),
  ),
  form('(?<=next |of (?:the )?|each |every |monthly )month\\b', (_parts, rest, clock) =>
    wall({ day: '1' }, rest, clock),
  ),
  form('(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?::(?<second>\\d\\d))? ?(?<half>[ap]\\.?m\\b\\.?)'),
  form('(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d))?'),
];

const numberOf = (part: string | undefined, otherwise: number) => (part === undefined ? otherwise : Number(part));

/** A missing part means the next possible time: a time alone is today or tomorrow, a date without a year is this year or next. */
function wall(parts: Parts, rest: string, clock: Clock): Date | null {
  const zone = zoneFor(rest, clock);
  const today = wallTimeOf(clock.now, zone);
  const time = {
    year: numberOf(parts.year, today.year),
    month: monthOf(parts.month) ?? today.month,
    day: numberOf(parts.day, today.day),
    hour: hourOf(parts),
    minute: numberOf(parts.minute, 0),
    second: numberOf(parts.second, 0),
  };
  if (!isOnAnyWall(time) || !isInCalendar(time)) return null;
  if (parts.day === undefined && /^ tomorrow\b/i.test(rest)) return onDay(1)(parts, rest.slice(9), clock);
  const first = instantOf(time, zone);
  if (first > clock.now || parts.year !== undefined) return first;
  if (parts.day === undefined) return instantOf({ ...time, day: time.day + 1 }, zone);
  return instantOf(
    parts.month === undefined ? { ...time, month: time.month + 1 } : { ...time, year: time.year + 1 },
    zone,
  );
}

/** This many days from today. */
function onDay(ahead: number): Form['read'] {
  return (parts, rest, clock) => {
    const zone = zoneFor(rest, clock);
    const today = wallTimeOf(clock.now, zone);
    const time = { hour: hourOf(parts), minute: numberOf(parts.minute, 0), second: numberOf(parts.second, 0) };
    return isOnAnyWall({ ...today, ...time }) ? instantOf({ ...today, ...time, day: today.day + ahead }, zone) : null;
  };
}

/** The next such day; today, if its time is still to come. */
function onWeekday(parts: Parts, rest: string, clock: Clock): Date | null {
  const today = wallTimeOf(clock.now, zoneFor(rest, clock));
  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const ahead = (DAYS.indexOf(parts.weekday!.toLowerCase()) - weekday + 7) % 7;
  const time = onDay(ahead)(parts, rest, clock);
  return time !== null && time <= clock.now ? onDay(ahead + 7)(parts, rest, clock) : time;
}

const isOnAnyWall = ({ month, day, hour, minute, second }: WallTime) =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 24 && minute <= 59 && second < 61;

/** Rejects dates such as 30 February. */
const isInCalendar = ({ year, month, day }: WallTime) => new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;

/** A name or a number; null if there is none. */
function monthOf(part: string | undefined): number | null {
  if (part === undefined) return null;
  return /\d/.test(part) ? Number(part) : MONTHS.indexOf(part.toLowerCase()) + 1;
}

function hourOf({ hour, half }: Parts): number {
  if (hour === undefined || half === undefined) return numberOf(hour, 0);
  if (Number(hour) > 12) return NO_HOUR;
  return (Number(hour) % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

/** An hour that does not exist. */
const NO_HOUR = 99;

const zoneFor = (rest: string, { timeZone }: Clock) => zoneIn(rest) ?? zoneOf(timeZone ?? 'UTC') ?? 'UTC';

function zoneIn(rest: string): string | null {
  const name = ZONE.exec(rest)?.[1];
  return name === undefined ? null : zoneOf(name);
}

const ZONE =
  /^[\s,]{0,2}(?:in )?\(?\s?(?:(?:GMT|UTC)\s?(?=[+-]\d))?([+-]\d\d?(?::?\d\d)?(?!\d)|[A-Za-z]+(?:\/[A-Za-z_+-]+\d{0,2}){1,2}|[A-Z]{1,4}\b|(?:pacific|eastern|central|mountain)(?: time)?)/i;
