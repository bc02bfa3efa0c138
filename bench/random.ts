// Generates random numbers that depend only on the seed: each caller has its own generator, so that none affects another.

export type Random = () => number;

/** Returns numbers from 0 up to 1, by mulberry32 over a hash of the words. */
export function randomFrom(...words: (string | number)[]): Random {
  let state = hashOf(words.join('\0'));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an integer from `least` to `most`, both included. */
export const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Returns one of the list that is not `old`. */
export const other = <T>(random: Random, list: readonly T[], old: T): T =>
  pick(
    random,
    list.filter((one) => one !== old),
  );

export const signs = (random: Random, length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');

export const HEX = '0123456789abcdef';
export const DIGITS = '0123456789';
export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
export const MIXED = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}`;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
