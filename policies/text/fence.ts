// Fences around data: their word is made of everything that stands in the prompt, so that nothing in it can hold it.

import { createHash } from 'node:crypto';

/**
 * A word that occurs in none of the texts, however they came about: the same texts, the same word. Whoever writes one of them
 * would have to know the hash of what he writes; should one hold it all the same, the next word is taken.
 */
export function fenceWord(texts: readonly string[], hash: (text: string) => string = sha256): string {
  const all = hash(texts.map((text) => `${text.length}:${text}`).join(''));
  for (let round = 0; ; round += 1) {
    const word = `${hash(`${all} ${round}`).slice(0, WORD_CHARS)}${round === 0 ? '' : `-${round}`}`;
    if (!texts.some((text) => text.includes(word))) return word;
  }
}

/** The label is one line, whatever a file's name holds. */
export function fenced(word: string, label: string, text: string): string {
  return `${openingFence(word, label)}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${closingFence(word)}\n`;
}

export const openingFence = (word: string, label: string): string => `===== begin ${word}: ${label} =====`;

export const closingFence = (word: string): string => `===== end ${word} =====`;

const WORD_CHARS = 16;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
