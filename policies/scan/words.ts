// Sets of words that are asked of a text without making a string of the word.

import type { Cursor } from './cursor.ts';

/** Lower-case ASCII words, by length and first letter: most questions end at an empty place. */
export type Words = readonly (readonly Uint8Array[] | undefined)[];

const LONGEST = 31;

/** @param list parted by spaces. */
export function wordsOf(list: string): Words {
  const words: Uint8Array[][] = new Array((LONGEST + 1) * 32);
  for (const word of list.split(' ')) {
    const place = word.length * 32 + (word.charCodeAt(0) & 31);
    words[place] = [...(words[place] ?? []), Uint8Array.from(Buffer.from(word, 'latin1'))];
  }
  return words;
}

/** Whether the text between two offsets is one of the words, in either case. */
export function isOneOf(words: Words, codes: Uint16Array, from: number, to: number): boolean {
  const length = to - from;
  if (length < 1 || length > LONGEST) return false;
  const candidates = words[length * 32 + (codes[from]! & 31)];
  if (candidates === undefined) return false;
  for (const word of candidates) if (isAt(word, codes, from)) return true;
  return false;
}

/** Whether the word before the token is one of them. */
export const isAfter = (words: Words, { codes, lastFrom, lastTo }: Cursor): boolean =>
  isOneOf(words, codes, lastFrom, lastTo);

/** Whether the word before that one is. */
export const isSecondAfter = (words: Words, { codes, olderFrom, olderTo }: Cursor): boolean =>
  isOneOf(words, codes, olderFrom, olderTo);

function isAt(word: Uint8Array, codes: Uint16Array, from: number): boolean {
  for (let i = 0; i < word.length; i += 1) {
    const letter = word[i]!;
    const code = codes[from + i]!;
    if (code !== letter && (letter < 97 || (code | 32) !== letter)) return false;
  }
  return true;
}
