// Defines volatile tokens of time: every form of a point in time that services, runtimes and loggers print.

import { pick, type Random, whole } from '../../random.ts';
import type { TokenKind } from '../operator.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTH = `(?:${MONTHS.join('|')})`;
const DAY = `(?:${DAYS.join('|')})`;

const two = (n: number): string => String(n).padStart(2, '0');
export const clock = (random: Random): string =>
  `${two(whole(random, 0, 23))}:${two(whole(random, 0, 59))}:${two(whole(random, 0, 59))}`;
const date = (random: Random): string =>
  `${whole(random, 2025, 2027)}-${two(whole(random, 1, 12))}-${two(whole(random, 1, 28))}`;
const fraction = (old: string, random: Random): string => old.replace(/\d/g, () => String(whole(random, 0, 9)));
const twelve = (random: Random, half: string): string =>
  `${whole(random, 1, 12)}:${two(whole(random, 0, 59))}${half.replace(/[ap](?=\.?m)/i, pick(random, ['a', 'p']))}`;

export const TIMES: readonly TokenKind[] = [
  {
    name: 'time in a file name',
    find: /\b\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d{1,6})?Z?/g,
    make: (_old, random) => `${date(random)}T${clock(random).replaceAll(':', '-')}-${whole(random, 100, 999)}Z`,
    planted: [' (in client-error-*.json)'],
  },
  {
    name: 'ISO time',
    find: /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g,
    make: (old, random) => {
      const [, seconds = old === '' ? ':' : '', part = '', zone = 'Z'] =
        /T\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(old) ?? [];
      return `${date(random)}T${clock(random).slice(0, seconds === '' ? 5 : 8)}${fraction(part, random)}${zone}`;
    },
    planted: [' (at *)', ' since *', ', timestamp: *'],
  },
  {
    name: 'date and time',
    find: /\b\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?/g,
    make: (old, random) => `${date(random)} ${clock(random)}${fraction(/[.,]\d+$/.exec(old)?.[0] ?? '', random)}`,
    planted: [' (*)'],
  },
  {
    name: 'HTTP date',
    find: new RegExp(String.raw`\b${DAY}, \d{1,2} ${MONTH} \d{4} \d\d:\d\d:\d\d(?: GMT| UTC| [+-]\d{4})?`, 'g'),
    make: (_old, random) =>
      `${pick(random, DAYS)}, ${two(whole(random, 1, 28))} ${pick(random, MONTHS)} 2026 ${clock(random)} GMT`,
    planted: [' (date: *)'],
  },
  {
    name: 'time of a syslog',
    find: new RegExp(String.raw`\b(?:${DAY} )?${MONTH} [ \d]\d \d\d:\d\d:\d\d(?: (?:GMT |UTC )?\d{4})?\b`, 'g'),
    make: (_old, random) => `${pick(random, MONTHS)} ${whole(random, 10, 28)} ${clock(random)}`,
    planted: [' [*]'],
  },
  {
    name: 'spelt date',
    find: new RegExp(
      String.raw`\b${MONTH}[a-z]{0,6}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?(?:,? (?:at )?\d{1,2}:\d\d(?: ?[AaPp]\.?[Mm]\.?)?)?(?!\w)`,
      'g',
    ),
    make: (old, random) => {
      const [, half] = /\d{1,2}:\d\d( ?[ap]\.?m\.?)?$/i.exec(old) ?? [];
      const time = half === undefined ? clock(random).slice(0, 5) : twelve(random, half);
      const day = `${pick(random, MONTHS)} ${whole(random, 1, 28)}`;
      const ordinal = /\d(?:st|nd|rd|th)/.test(old) ? `${pick(random, MONTHS)} ${whole(random, 4, 20)}th` : day;
      const year = /\d{4}/.test(old) || old === '' ? ', 2026' : '';
      return `${ordinal}${year}${/:\d\d/.test(old) ? (old.includes(' at ') ? ` at ${time}` : ` ${time}`) : ''}`;
    },
    planted: [' (as of *)'],
  },
  {
    name: 'date with slashes',
    find: /\b\d{1,2}\/\d{1,2}\/\d{4}(?:,? \d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?)?/g,
    make: (_old, random) => `${whole(random, 1, 12)}/${whole(random, 1, 28)}/2026, ${twelve(random, ' PM')}`,
    planted: [' (*)'],
  },
  {
    name: 'date alone',
    find: /\b20\d\d-\d\d-\d\d\b(?![-T\d])/g,
    make: (_old, random) => date(random),
    planted: [' (build of *)'],
  },
  {
    name: 'hour of a day',
    find: /\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?/gi,
    make: (old, random) => {
      const half = /\s?[ap]\.?m\.?$/i.exec(old)?.[0] ?? ' PM';
      return old.includes(':') || old === '' ? twelve(random, half) : `${whole(random, 1, 12)}${half}`;
    },
    planted: [' (last seen at *)'],
  },
  {
    name: 'clock time',
    find: /(?<![\w:.])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\w:])/g,
    make: (old, random) => clock(random).slice(0, /:\d\d:/.test(old) || old === '' ? 8 : 5),
    planted: [' [*]'],
  },
  {
    name: 'seconds since 1970',
    find: /\b1[6-8]\d{8}(?:\d{3})?(?:\.\d+)?\b/g,
    make: (old, random) =>
      `1${whole(random, 76, 79)}${whole(random, 1_000_000, 9_999_999)}${/^\d{13}/.test(old) ? whole(random, 100, 999) : ''}`,
    planted: [', "time": *'],
  },
];
