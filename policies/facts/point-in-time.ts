// Reads points in time and waits as services write them, in English and in other languages: `8pm (Europe/London)`, `3時間後に`.

import { type Clock, instantOf, type WallTime, wallTimeOf, zoneOf } from './clock.ts';

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

/** The zone in which a service writes its times if it names none; null if the text does not identify the service. */
export function serviceZone(texts: readonly string[]): string | null {
  return ZONES.find(([mark]) => texts.some((text) => mark.test(text)))?.[1] ?? null;
}

/** Kana and hangul come first, because Japanese and Korean texts may contain Chinese characters too. */
const ZONES: readonly (readonly [RegExp, string])[] = [
  [/[\u3040-\u30ff]/, 'Asia/Tokyo'],
  [/[\uac00-\ud7af]/, 'Asia/Seoul'],
  [/[\u4e00-\u9fff]/, 'Asia/Shanghai'],
  // Z.ai also writes Beijing time in English; its codes for limits are 1300 to 1313.
  [/["'](?:code|type)\\?["']\s{0,2}:\s{0,2}\\?["']13(?:0\d|1[0-3])\\?["']|\[13(?:0\d|1[0-3])\]/, 'Asia/Shanghai'],
  [/\bapi\.z\.ai\b|\bbigmodel\.cn\b|\bvolces\.com\b|\baliyuncs\.com\b/, 'Asia/Shanghai'],
];

/** Waits in milliseconds, in texts that are not English: `请在 2 小时后重试`, `3時間後に`, `inténtelo de nuevo en 5 minutos`. */
export const foreignWaits = (text: string): number[] =>
  [...EAST_ASIAN, ...EUROPEAN].flatMap((form) => waitsBy(form, text));

interface WaitForm {
  /** Group 1 is the whole wait. */
  pattern: RegExp;
  part: RegExp;
  unitMs(unit: string): number;
  /** Must occur in the text: without it, the wait may be the length of a limit. */
  cue?: RegExp;
}

function waitsBy({ pattern, part, unitMs, cue }: WaitForm, text: string): number[] {
  if (cue !== undefined && !cue.test(text)) return [];
  return [...text.matchAll(pattern)].slice(0, MOST).map(({ 1: wait }) => {
    const parts = [...wait!.matchAll(part)];
    return parts.reduce((sum, { 1: count, 2: unit }) => sum + Number(count) * unitMs(unit!), 0);
  });
}

const MOST = 20;

const EAST_UNIT =
  '秒钟|秒鐘|秒間|秒|분|분간|초|分钟|分鐘|分間|分|个小时|個小時|小时|小時|時間|시간|日間|天|日|일|个星期|周|週間|週|주';
const EAST_PART = `\\d{1,6}(?:\\.\\d{1,3})?\\s{0,2}(?:${EAST_UNIT})`;
const EAST_WAIT = `((?:${EAST_PART}[\\s、,，]{0,2}){1,4})`;

const EAST = {
  part: new RegExp(`(\\d{1,6}(?:\\.\\d{1,3})?)\\s{0,2}(${EAST_UNIT})`, 'g'),
  unitMs: (unit: string) =>
    /^[秒초]/.test(unit)
      ? 1000
      : /^[分분]/.test(unit)
        ? 60_000
        : /[时時]|시간/.test(unit)
          ? 3_600_000
          : /[周週주]|星期/.test(unit)
            ? 604_800_000
            : 86_400_000,
};

const EAST_ASIAN: readonly WaitForm[] = [
  { ...EAST, pattern: new RegExp(`${EAST_WAIT}(?:之后|之後|以后|以後|后|後|뒤|후|내에)`, 'g') },
  { ...EAST, pattern: new RegExp(`(?:等待|等候|稍等)[\\s约]{0,3}${EAST_WAIT}`, 'g') },
  { ...EAST, pattern: new RegExp(`${EAST_WAIT}(?:お待ち|待って|기다려)`, 'g') },
];

const WEST_UNIT =
  'segundos?|secondes?|sekunden?|секунд[уы]?|minut[oea]s?|minuten?|минут[уы]?|horas?|heures?|stunden?|час(?:а|ов)?|d[ií]as?|jours?|tage?n?|д(?:ень|ня|ней)';

const EUROPEAN: readonly WaitForm[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}])(?:dentro de|en|em|dans|in|nach|après|через)\\s{1,3}((?:\\d{1,6}\\s{1,3}(?:${WEST_UNIT})(?![\\p{L}])(?:,? (?:y|e|et|und|и) |,? ?)?){1,4})`,
      'giu',
    ),
    part: new RegExp(`(\\d{1,6})\\s{1,3}(${WEST_UNIT})`, 'giu'),
    unitMs: (unit) =>
      /^(?:se|секунд)/i.test(unit)
        ? 1000
        : /^(?:min|минут)/i.test(unit)
          ? 60_000
          : /^(?:h|st|час)/i.test(unit)
            ? 3_600_000
            : 86_400_000,
    cue: /int[eé]nt|vuelv|reintent|restablec|tent[ea]|redefin|réess|réinitialis|versuch|erneut|wieder|zurückgesetzt|повтор|попроб|сброс/i,
  },
];

/** Dates and hours near a word for a reset, which may come before or after them. */
export function foreignPoints(text: string, clock: Clock): Point[] {
  if (!RESET.test(text)) return [];
  return text
    .split(/[。；！？;!\n]/)
    .filter((sentence) => RESET.test(sentence))
    .flatMap((sentence) => {
      const plain = inEnglish(sentence);
      return [...plain.matchAll(START)].slice(0, MOST).flatMap(({ index }) => pointAt(plain, index, clock) ?? []);
    });
}

const RESET =
  /重置|重設|恢复|恢復|刷新|解除|解封|重试|重試|再试|再試|リセット|再開|回復|초기화|재설정|다시|réinitialis|zurückgesetzt|restablec|reinici|redefin|ripristin|сброс|обнов/i;

const pad = (digits: string): string => digits.padStart(2, '0');

/** Rewrites dates and hours in the forms of `pointAt`; all other words remain. */
const inEnglish = (sentence: string): string =>
  DAY_NAMES.reduce((all, [name, day]) => all.replace(name, `${day} at `), sentence)
    .replace(/(\d{4})[年년]\s?(\d{1,2})[月월]\s?(\d{1,2})[日일]\s?/g, (_all, y, m, d) => `${y}-${pad(m)}-${pad(d)} `)
    .replace(/(\d{1,2})[月월]\s?(\d{1,2})[日号號일]\s?/g, (_all, m, d) => `${MONTHS[Number(m) - 1] ?? ''} ${d} at `)
    .replace(MONTH_NAMES, (_all, day, month, year) => `${day} ${englishMonth(month)}${year ? ` ${year}` : ''} at `)
    .replace(EAST_HOUR, (_all, half, hour, minute) => onTheClock(hour, minute, AFTERNOON.test(half ?? '')))
    .replace(WEST_HOUR, (_all, hour, colon, after, half) =>
      onTheClock(hour, colon ?? after, /^\s?p/i.test(half ?? ''), half),
    );

function onTheClock(hour: string, minute: string | undefined, isAfternoon: boolean, half?: string): string {
  const count = Number(hour);
  const isMidnight = half !== undefined && !isAfternoon && count === 12;
  return `${pad(String(isMidnight ? 0 : isAfternoon && count < 12 ? count + 12 : count))}:${pad(minute ?? '0')}`;
}

const AFTERNOON = /下午|晚上|午後|오후/;
const EAST_HOUR =
  /(?:(上午|下午|晚上|凌晨|早上|午前|午後|오전|오후)\s?)?(?<![\d:.-])(\d{1,2})(?:\s?(?:[时時点點]|시(?!간))\s?(?:(\d{1,2})[分분])?(?![间間])|(?<=[上下午晚凌早전후].{0,4}):(\d\d))/g;
const WEST_HOUR =
  /(?<=(?<![\p{L}])(?:à|às|as|a las|um|alle(?: ore)?|в) )(\d{1,2})(?::(\d\d)|\s?h\s?(\d\d)?(?![\w])|(?= ?Uhr)|(?=\s?[ap]\.?\s?m))(?: ?Uhr)?(\s?[ap]\.?\s?m\b\.?)?/giu;

/** By the letters that tell them apart in French, German, Spanish, Portuguese, Italian and Russian. */
const MONTH_STEMS: readonly RegExp[] = [
  /^(?:jan|jän|ene|gen|янв)/i,
  /^(?:f[eé][bv]|фев)/i,
  /^(?:mar|mär|мар)/i,
  /^(?:a[vbp]r|апр)/i,
  /^(?:mai|may|mag|ма[яй])/i,
  /^(?:juin|jun|giu|июн)/i,
  /^(?:juil|jul|lug|июл)/i,
  /^(?:ao[uû]|aug|ago|авг)/i,
  /^(?:sep|set|сен)/i,
  /^(?:oct|okt|out|ott|окт)/i,
  /^(?:nov|ноя)/i,
  /^(?:d[eé][czs]|dic|дек)/i,
];
const MONTH_NAMES =
  /(?<!\d)(\d{1,2})(?:er|\.)? (?:de )?((?:jan|jän|ene|gen|янв|f[eé][bv]|фев|mar|mär|мар|a[vbp]r|апр|mai|may|mag|ма[яй]|jui|jun|giu|июн|jul|lug|июл|ao[uû]|aug|ago|авг|sep|set|сен|oct|okt|out|ott|окт|nov|ноя|d[eé][czs]|dic|дек)\p{L}{0,7})\.?(?: (?:de )?(\d{4})(?!\d))?(?:,? (?:à|às|as|a las|um|alle(?: ore)?|в)(?= \d))?,? ?/giu;

function englishMonth(name: string): string {
  return MONTHS[MONTH_STEMS.findIndex((stem) => stem.test(name))] ?? name;
}

const DAY_NAMES: readonly (readonly [RegExp, string])[] = [
  [/明天|明日|내일\s?/g, 'tomorrow'],
  [
    /(?<!\p{L})(?:demain|mañana|amanhã|morgen|domani|завтра)(?!\p{L})(?: (?:à|às|as|a las|um|alle|в)(?= \d))? ?/giu,
    'tomorrow',
  ],
  ...(
    [
      ['mon', '周一|月曜日?|월요일', 'lundi|montag|lunes|segunda(?:-feira)?|lunedì|понедельник'],
      ['tue', '周二|火曜日?|화요일', 'mardi|dienstag|martes|terça(?:-feira)?|martedì|вторник'],
      ['wed', '周三|水曜日?|수요일', 'mercredi|mittwoch|miércoles|quarta(?:-feira)?|mercoledì|среду'],
      ['thu', '周四|木曜日?|목요일', 'jeudi|donnerstag|jueves|quinta(?:-feira)?|giovedì|четверг'],
      ['fri', '周五|金曜日?|금요일', 'vendredi|freitag|viernes|sexta(?:-feira)?|venerdì|пятницу'],
      ['sat', '周六|土曜日?|토요일', 'samedi|samstag|sábado|sabato|субботу'],
      ['sun', '周日|日曜日?|일요일', 'dimanche|sonntag|domingo|domenica|воскресенье'],
    ] as const
  ).map(([day, east, west]): readonly [RegExp, string] => [
    new RegExp(
      `(?:${east})\\s?|(?<!\\p{L})(?:${west})(?!\\p{L})(?: (?:à|às|as|a las|um|alle|в)(?= \\d))? ?(?=\\d)`,
      'giu',
    ),
    day,
  ]),
];

const START =
  /\d{4}[-/]\d{1,2}[-/]|\b(?:tomorrow|mon|tue|wed|thu|fri|sat|sun) at |\b(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) (?:\d{1,2} |\d{4} )?at |(?<![\d:.T-]|\d{4}-\d\d-\d\d\s{1,2}|\bat )\d{1,2}:\d\d/g;
