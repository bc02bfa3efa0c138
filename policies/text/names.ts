// Finds the name of a wanted section in a heading, and ignores its case, emphasis, punctuation and number.

export interface NameBook {
  /** By their first word, the longest name first. */
  readonly names: ReadonlyMap<string, readonly Named[]>;
  readonly longest: number;
  /** Who wrote the text. */
  readonly writer: NameWriter;
}

export type NameWriter = 'model' | 'person';

interface Named {
  key: string;
  words: readonly string[];
}

export interface NameFound {
  /** The key of the wanted name. */
  key: string;
  /** The part of the heading after the name that is text of the section: `none` in `Findings: none`; '' if it is only a count. */
  runIn: string;
}

/** A name without a letter or a digit cannot be searched for, and is skipped. */
export function bookOf(names: readonly string[], writer: NameWriter): NameBook {
  const byFirst = new Map<string, Named[]>();
  let longest = 0;
  for (const key of new Set(names.map(keyOf))) {
    if (key === '') continue;
    const words = key.split(' ');
    longest = Math.max(longest, words.length);
    byFirst.set(words[0]!, [...(byFirst.get(words[0]!) ?? []), { key, words }]);
  }
  for (const row of byFirst.values()) row.sort((a, b) => b.words.length - a.words.length);
  return { names: byFirst, longest, writer };
}

/** Names that differ only in case, emphasis or punctuation have the same key. */
export const keyOf = (name: string): string =>
  wordsIn(plain(name))
    .map(({ word }) => word)
    .join(' ');

/** A longer heading is cut, because the name is at its beginning. */
export const MAX_HEADING = 500;

export function findName(heading: string, book: NameBook): NameFound | null {
  const text = plain(heading.slice(0, MAX_HEADING));
  const words = wordsIn(text, book.longest + MAX_NUMBERS);
  return matchAt(words, 0, text, book) ?? matchAt(words, afterNumber(words, text), text, book);
}

interface Word {
  word: string;
  end: number;
}

/** The parts of a number such as 1.2.3, and a word before it. */
const MAX_NUMBERS = 5;

function matchAt(words: readonly Word[], at: number, text: string, book: NameBook): NameFound | null {
  const first = words[at];
  if (first === undefined) return null;
  for (const { key, words: wanted } of book.names.get(first.word) ?? []) {
    if (!wanted.every((word, i) => words[at + i]?.word === word)) continue;
    const { end } = words[at + wanted.length - 1]!;
    const rest = text.slice(end);
    if (!goesOn(rest)) return { key, runIn: runInOf(rest) };
  }
  return null;
}

/** `Summary of changes` is another heading than `Summary`; `Summary (short)`, `Summary: none` and `Summary 2` are not. */
const goesOn = (rest: string): boolean => /^(?:\s*\p{L}|[-'’]\p{L})/u.test(rest);

function runInOf(rest: string): string {
  const said = rest.replace(/\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}/g, ' ').trim();
  const text = /^[:：–—|=-]+\s*(.*)$/su.exec(said)?.[1] ?? '';
  return /[^\s#:.=–—-]/u.test(text) ? text.replace(/\s#+\s*$/, '') : '';
}

/** Skips `3.`, `1.2`, `IV)`, `(a)` or `Step 1 -` before the name. */
function afterNumber(words: readonly Word[], text: string): number {
  let at = COUNTED.has(words[0]?.word ?? '') && /^\p{N}+$/u.test(words[1]?.word ?? '') ? 1 : 0;
  while (at < MAX_NUMBERS && /^\p{N}+$/u.test(words[at]?.word ?? '')) at += 1;
  const [first] = words;
  if (at === 0 && first && /^(?:[a-z]|[ivx]{1,5})$/.test(first.word) && /^[.)]/.test(text.slice(first.end))) return 1;
  return at;
}

const COUNTED = new Set(['section', 'step', 'part', 'phase', 'chapter', 'stage', 'task']);

function wordsIn(text: string, most = Number.POSITIVE_INFINITY): Word[] {
  const words: Word[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (words.length >= most) break;
    words.push({ word, end: index + word.length });
  }
  return words;
}

/** Removes emphasis, links and code marks. A blank replaces each, so that words are not joined. */
const plain = (text: string): string =>
  text
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/&amp;|&/g, ' and ')
    .replace(/[*_`~]/g, ' ')
    .normalize('NFKC')
    .toLowerCase();
