// Which token classes may begin somewhere: asked for every word of a text, and answered from tables.

import { HAS } from '../scan/characters.ts';
import type { TokenClass } from '../token-classes/token-class.ts';
import { TOKEN_CLASSES } from '../token-classes/token-classes.ts';

/** A class and one set of `HAS` bits that is enough for it. */
interface Candidate {
  row: TokenClass;
  needs: number;
}

const CANDIDATES: readonly Candidate[] = TOKEN_CLASSES.flatMap((row) =>
  (typeof row.needs === 'number' ? [row.needs] : row.needs).map((needs) => ({ row, needs })),
);

/** The classes themselves, each once for each set of bits. */
export const ROWS: readonly TokenClass[] = CANDIDATES.map(({ row }) => row);

/** `HAS` bits are looked up in two halves: one table for all of them would take longer to make than most texts. */
const HALF = 9;
const LOWER = (1 << HALF) - 1;

/** Sets of 32 candidates: bit `i` stands for the one at `first + i`. */
interface Sets {
  /** By the lower and by the upper half of `HAS` bits: those that need no more than these. */
  lower: Int32Array;
  upper: Int32Array;
  /** By the key of the first two characters: those that a word may begin so. */
  beginning: Int32Array;
}

const [FIRST, REST] = [setsOf(0), setsOf(32)] as const;

/** Which of the first 32 `ROWS` a word with these features and these first characters may begin. */
export const firstRows = (features: number, first: number, second: number): number =>
  among(FIRST, features, first, second);

/** The same among the rest; bit 0 is the 33rd. */
export const otherRows = (features: number, first: number, second: number): number =>
  among(REST, features, first, second);

/** Whether a word of at most six letters that begins so may be more than a word. */
export const beginsShortWord = (first: number, second: number): boolean =>
  (firstRows(HAS.digitNext, first, second) | otherRows(HAS.digitNext, first, second)) !== 0;

/** By sign: the candidates that it may begin. */
export const AT_SIGN: readonly (readonly Candidate[])[] = Array.from({ length: 128 }, () => []);
for (const candidate of CANDIDATES)
  for (const sign of new Set(candidate.row.begins.replace('word', '')))
    (AT_SIGN[sign.charCodeAt(0)] as Candidate[] | undefined)?.push(candidate);

function among({ lower, upper, beginning }: Sets, features: number, first: number, second: number): number {
  return lower[features & LOWER]! & upper[features >> HALF]! & beginning[keyOf(first) * 32 + (second & 31)]!;
}

/** 0 = a digit, 31 = a letter beyond ASCII or `_`. */
function keyOf(first: number): number {
  return first < 58 ? 0 : first < 128 ? first & 31 : 31;
}

function setsOf(from: number): Sets {
  const candidates = CANDIDATES.slice(from, from + 32);
  const sets = {
    lower: new Int32Array(1 << HALF),
    upper: new Int32Array(1 << HALF),
    beginning: new Int32Array(32 * 32),
  };
  /** By the key of the first character: those that it alone lets a word begin. */
  const byFirst = new Int32Array(32);
  const pairs: [at: number, candidate: number][] = [];
  candidates.forEach(({ row, needs }, i) => {
    sets.lower[needs & LOWER]! |= 1 << i;
    sets.upper[needs >> HALF]! |= 1 << i;
    if (!row.begins.startsWith('word')) return;
    if (row.first === undefined) for (let key = 0; key < 32; key += 1) byFirst[key]! |= 1 << i;
    for (const letters of row.first ?? []) {
      const key = keyOf(letters.charCodeAt(0));
      if (letters.length === 1) byFirst[key]! |= 1 << i;
      else pairs.push([key * 32 + (letters.charCodeAt(1) & 31), 1 << i]);
    }
  });
  byFirst.forEach((all, key) => {
    sets.beginning.fill(all, key * 32, key * 32 + 32);
  });
  for (const [at, candidate] of pairs) sets.beginning[at]! |= candidate;
  widen(sets.lower);
  widen(sets.upper);
  return sets;
}

/** Whoever is content with some bits is content with more. */
function widen(set: Int32Array): void {
  for (let bit = 1; bit <= LOWER; bit <<= 1)
    for (let block = bit; block <= LOWER; block += 2 * bit)
      for (let bits = block; bits < block + bit; bits += 1) set[bits]! |= set[bits - bit]!;
}
