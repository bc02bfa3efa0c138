// Makes fences around data. Their word depends on the whole prompt, so that the data cannot contain it.

import { createHash } from 'node:crypto';

/**
 * Returns a word that occurs in none of the texts. The same texts give the same word. The author of a text would need to know the
 * hash of that text. If a text contains the word all the same, the next word is used.
 */
export function fenceWord(texts: readonly string[], hash: (text: string) => string = sha256): string {
  const all = hash(texts.map((text) => `${text.length}:${text}`).join(''));
  for (let round = 0; ; round += 1) {
    const word = `${hash(`${all} ${round}`).slice(0, WORD_CHARS)}${round === 0 ? '' : `-${round}`}`;
    if (!texts.some((text) => text.includes(word))) return word;
  }
}

/** The label is one line, whatever a file's name contains. */
export function fenced(word: string, label: string, text: string): string {
  return `${openingFence(word, label)}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${closingFence(word)}\n`;
}

export const openingFence = (word: string, label: string): string => `===== begin ${word}: ${label} =====`;

export const closingFence = (word: string): string => `===== end ${word} =====`;

const WORD_CHARS = 16;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
