// Defines operators that print the same lines differently, or wrap them: as loggers, terminals, pagers and CI do.

import { pick, type Random, whole } from '../random.ts';
import { before, firstSignedLine, type Operator } from './operator.ts';
import { clock } from './tokens/times.ts';

/** Splits a text into lines without their ends, whether or not it contains a CR. */
const linesOf = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);

/** Changes each line of the text, if the signature is of stderr. */
const byLine = (name: string, lineOf: (random: Random) => (line: string, i: number) => string): Operator => ({
  name,
  change: ({ of, text }, random) => {
    if (of !== 'stderr') return null;
    const one = lineOf(random);
    const changed = linesOf(text).map((line, i) => `${one(line, i)}\n`);
    return { text: changed.join('') };
  },
});

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
      // A logger gives the lines of an error another level than the other lines.
      const first = firstSignedLine(subject);
      const isSigned = (line: string, i: number) =>
        i >= first && wordsOf(line) !== '' && signed.some((one) => wordsOf(one).includes(wordsOf(line)));
      const changed = linesOf(text)
        .map((line, i) => `${stamp(random)}${isSigned(line, i) ? error : info} ${line}\n`)
        .join('');
      return { text: changed };
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
      // Never inside the signed text: there it would be another text.
      return { text: `\n\n${before(subject.text, at, [''])}\n\n\n` };
    },
  },
];

/** Removes frames, colours and signs. */
const wordsOf = (line: string): string =>
  line
    .replace(/\x1b\[[\d;]*m/g, '')
    .replace(/\W+/g, ' ')
    .trim();

const INDENTS = ['  ', '   ', '    ', '      ', '\t'] as const;
const MARGINS = ['│ ', '┃ ', '| ', '> ', '  ', '    ', '▌ '] as const;

/** The sides, and the characters of the lines above and below. */
const BOXES = [
  { sides: ['│', '│'], above: ['╭', '─', '╮'], below: ['╰', '─', '╯'] },
  { sides: ['┃', '┃'], above: ['┏', '━', '┓'], below: ['┗', '━', '┛'] },
  { sides: ['║', '║'], above: ['╔', '═', '╗'], below: ['╚', '═', '╝'] },
  { sides: ['|', '|'], above: ['+', '-', '+'], below: ['+', '-', '+'] },
] as const;

const wrapping = (
  name: string,
  [least, most]: [number, number],
  before: (random: Random) => { hanging?: string; margin?: string } = () => ({}),
): Operator =>
  byLine(name, (random) => {
    const width = whole(random, least, most);
    const { hanging, margin } = before(random);
    const behind = (one: string) => (margin === undefined ? one : `${margin}${one}`.trimEnd());
    return (line) => wrapped(line, width, hanging).map(behind).join('\n');
  });

export const FRAMES: readonly Operator[] = [
  wrapping('wrapped', [60, 120]),
  wrapping('wrapped narrowly', [30, 59]),
  wrapping('wrapped with hanging indents', [30, 120], (random) => ({ hanging: pick(random, INDENTS) })),
  wrapping('wrapped behind a margin', [40, 120], (random) => ({ margin: pick(random, MARGINS) })),
  {
    name: 'a frame around it',
    change: (subject, random) => framed(subject, whole(random, 80, 120), BOXES[0]),
  },
  {
    name: 'any box around it',
    change: (subject, random) => framed(subject, whole(random, 50, 120), pick(random, BOXES)),
  },
];

function framed({ of, text }: Parameters<Operator['change']>[0], width: number, box: (typeof BOXES)[number]) {
  if (of !== 'stderr') return null;
  const lines = linesOf(text.trimEnd()).flatMap((line) => wrapped(line.replaceAll('\t', '    '), width - 4));
  if (lines.some((line) => line.length > width - 4)) return null;
  const [left, right] = box.sides;
  const ruleOf = ([from, dash, to]: readonly [string, string, string]) => `${from}${dash.repeat(width - 2)}${to}`;
  const rows = lines.map((line) => `${left} ${line.padEnd(width - 4)} ${right}`);
  return { text: `${[ruleOf(box.above), ...rows, ruleOf(box.below)].join('\n')}\n` };
}

/** Words that do not fit move to the next line, as a terminal wraps them. */
function wrapped(line: string, width: number, hanging = ''): string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const first = rest.search(/\S/);
    const within = rest.lastIndexOf(' ', width);
    // A word that is too long is alone on its line.
    const space = within > first ? within : rest.indexOf(' ', Math.max(first, width));
    if (space === -1) break;
    lines.push(rest.slice(0, space));
    rest = hanging + rest.slice(space + 1);
  }
  return [...lines, rest];
}
