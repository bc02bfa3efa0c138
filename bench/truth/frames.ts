// Operators that wrap a text again: at another width, with indents, margins and boxes, as CI and terminals print it.

import { pick, whole } from '../random.ts';
import { byLine, linesOf } from './by-line.ts';
import type { Operator } from './operator.ts';
import { wrapped } from './wrapped.ts';

const INDENTS = ['  ', '   ', '    ', '      ', '\t'] as const;
const MARGINS = ['│ ', '┃ ', '| ', '> ', '  ', '    ', '▌ '] as const;

/** The sides, and what the rules above and below are made of. */
const BOXES = [
  { sides: ['│', '│'], above: ['╭', '─', '╮'], below: ['╰', '─', '╯'] },
  { sides: ['┃', '┃'], above: ['┏', '━', '┓'], below: ['┗', '━', '┛'] },
  { sides: ['║', '║'], above: ['╔', '═', '╗'], below: ['╚', '═', '╝'] },
  { sides: ['|', '|'], above: ['+', '-', '+'], below: ['+', '-', '+'] },
] as const;

export const FRAMES: readonly Operator[] = [
  byLine('wrapped', (random) => {
    const width = whole(random, 60, 120);
    return (line) => wrapped(line, width).join('\n');
  }),
  byLine('wrapped narrowly', (random) => {
    const width = whole(random, 30, 59);
    return (line) => wrapped(line, width).join('\n');
  }),
  byLine('wrapped with hanging indents', (random) => {
    const width = whole(random, 30, 120);
    const indent = pick(random, INDENTS);
    return (line) => wrapped(line, width, indent).join('\n');
  }),
  byLine('wrapped behind a margin', (random) => {
    const width = whole(random, 40, 120);
    const margin = pick(random, MARGINS);
    return (line) =>
      wrapped(line, width)
        .map((one) => `${margin}${one}`.trimEnd())
        .join('\n');
  }),
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
  return { base: null, changed: { text: `${[ruleOf(box.above), ...rows, ruleOf(box.below)].join('\n')}\n` } };
}
