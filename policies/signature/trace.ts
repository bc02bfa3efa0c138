// Explains a signature: what became of each word of a text on the way to its normal form.

import type { Step } from './normalise.ts';
import { TOKEN_CLASSES } from './token-classes.ts';

/** What a token class removed from a text. */
export interface Eaten {
  class: string;
  count: number;
  /** The replacements, each once; empty = nothing. */
  put: string[];
  /** The first removed pieces, each once. */
  pieces: string[];
}

const MAX_PIECES = 5;

/** In the order of the table of token classes. */
export function eatenIn(steps: readonly Step[]): Eaten[] {
  const names = TOKEN_CLASSES.map(({ name }) => name);
  return names.flatMap((name) => {
    const own = steps.filter((step) => step.class === name);
    const put = new Set(own.map((step) => step.put).filter((text) => text !== ''));
    const pieces = new Set(own.map((step) => step.piece));
    return own.length === 0
      ? []
      : [{ class: name, count: own.length, put: [...put], pieces: [...pieces].slice(0, MAX_PIECES) }];
  });
}

/** Where two normal forms differ. */
interface Parting {
  /** The last words that they share. */
  after: string;
  /** What comes next in each; null = nothing. */
  sides: [one: Side | null, other: Side | null];
}

export interface Side extends Step {
  /** The words around it as they were in the text. */
  around: string;
}

const SHARED_WORDS = 6;
const AROUND = 5;

/** Returns the first place where they differ, or null if they are the same. */
export function partingOf(one: readonly Step[], other: readonly Step[]): Parting | null {
  const [first, second] = [one, other].map((steps) => steps.filter(({ put }) => put !== '')) as [Step[], Step[]];
  let at = 0;
  while (at < first.length && first[at]!.put === second[at]?.put) at += 1;
  if (at === first.length && at === second.length) return null;
  const shared = first.slice(Math.max(0, at - SHARED_WORDS), at).map(({ put }) => put);
  return { after: shared.join(' '), sides: [sideOf(one, first[at]), sideOf(other, second[at])] };
}

function sideOf(steps: readonly Step[], step: Step | undefined): Side | null {
  if (step === undefined) return null;
  const at = steps.indexOf(step);
  const around = steps.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(({ piece }) => piece);
  return { ...step, around: around.join(' ') };
}
