// Operators that print the same lines in another way: as loggers, terminals and pagers do.

import { pick, type Random, whole } from '../random.ts';
import { byLine, linesOf } from './by-line.ts';
import { before, firstSignedLine, type Operator } from './operator.ts';

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (random: Random): string =>
  `${two(whole(random, 0, 23))}:${two(whole(random, 0, 59))}:${two(whole(random, 0, 59))}`;

const STAMPS: readonly ((random: Random) => string)[] = [
  (random) => `2026-11-${whole(random, 10, 28)}T${clock(random)}.${whole(random, 100, 999)}Z `,
  (random) => `2026-11-${whole(random, 10, 28)} ${clock(random)},${whole(random, 100, 999)} `,
  (random) => `[${clock(random)}] `,
  (random) => `Nov ${whole(random, 10, 28)} ${clock(random)} `,
];

const LEVELS = [
  ['ERROR', 'INFO'],
  ['[ERROR]', '[INFO]'],
  ['error:', 'info:'],
  ['ERROR', 'WARN'],
] as const;

export const LAYOUTS: readonly Operator[] = [
  byLine('time before each line', (random) => {
    const stamp = pick(random, STAMPS);
    return (line) => `${stamp(random)}${line}`;
  }),
  {
    name: 'time and level before each line',
    change: (subject, random) => {
      const { of, text, signed } = subject;
      if (of !== 'stderr') return null;
      const stamp = pick(random, STAMPS);
      const [error, info] = pick(random, LEVELS);
      // A logger gives the lines of an error another level than what is said besides.
      const first = firstSignedLine(subject);
      const isSigned = (line: string, i: number) =>
        i >= first && wordsOf(line) !== '' && signed.some((one) => wordsOf(one).includes(wordsOf(line)));
      const changed = linesOf(text)
        .map((line, i) => `${stamp(random)}${isSigned(line, i) ? error : info} ${line}\n`)
        .join('');
      return { base: null, changed: { text: changed } };
    },
  },
  byLine('colours', (random) => {
    const [from, to] = pick(random, [
      ['\x1b[31m', '\x1b[39m'],
      ['\x1b[1;31m', '\x1b[0m'],
      ['\x1b[38;5;203m', '\x1b[m'],
    ] as const);
    return pick(random, [
      (line: string) => `${from}${line}${to}`,
      (line: string) => line.replace(/\w+/g, (word, at) => (at % 3 === 0 ? `${from}${word}${to}` : word)),
    ]);
  }),
  byLine('CRLF', () => (line) => `${line}\r`),
  byLine('spaces at the end', (random) => (line) => `${line}${' '.repeat(whole(random, 1, 6))}`),
  byLine('indentation', (random) => {
    const indent = pick(random, ['  ', '    ', '\t']);
    return (line) => (line === '' ? line : `${indent}${line}`);
  }),
  {
    name: 'blank lines',
    change: (subject) => {
      const at = firstSignedLine(subject);
      if (subject.of !== 'stderr' || at === -1) return null;
      // Never within what is said: there it would be another text.
      return { base: null, changed: { text: `\n\n${before(subject.text, at, [''])}\n\n\n` } };
    },
  },
];

/** Without frames, colours and signs. */
const wordsOf = (line: string): string =>
  line
    .replace(/\x1b\[[\d;]*m/g, '')
    .replace(/\W+/g, ' ')
    .trim();
