// Makes an operator of what is done to each line of a text.

import type { Random } from '../random.ts';
import type { Operator } from './operator.ts';

/** Without their ends, whether or not there is a CR in them. */
export const linesOf = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);

/** Each line of the text, where stderr is what is signed. */
export const byLine = (name: string, lineOf: (random: Random) => (line: string, i: number) => string): Operator => ({
  name,
  change: ({ of, text }, random) => {
    if (of !== 'stderr') return null;
    const one = lineOf(random);
    const changed = linesOf(text).map((line, i) => `${one(line, i)}\n`);
    return { base: null, changed: { text: changed.join('') } };
  },
});
