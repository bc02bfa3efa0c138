// Outlines a text by its headings, in all forms that models and people use, and finds the names of wanted sections in them.

import { linesOf, type MarkdownLine, saysSomething } from './markdown.ts';

interface NameBook {
  /** By their first word, the longest name first. */
  readonly names: ReadonlyMap<string, readonly Named[]>;
  readonly longest: number;
  readonly writer: NameWriter;
}

export type NameWriter = 'model' | 'person';

interface Named {
  key: string;
  words: readonly string[];
}

interface NameFound {
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
const MAX_HEADING = 500;

function findName(heading: string, book: NameBook): NameFound | null {
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

/** A heading, or a line between two. */
interface OutlinePiece {
  from: number;
  to: number;
  /** null for a line of text. */
  heading: Heading | null;
  saysSomething: boolean;
}

export interface Heading {
  /** Numbered lines, and lines that end in a colon, are headings only if they contain a wanted name. */
  form: 'hashes' | 'underlined' | 'bold' | 'plain';
  /** 1 to 6; 7 for headings that Markdown itself treats as text. */
  level: number;
  found: NameFound | null;
}

export const WEAK = 7;

/** A heading that is wrapped over two lines is one piece. Takes time linear in the text's length. */
export function* outlineOf(text: string, book: NameBook): Generator<OutlinePiece> {
  const lines = linesOf(text);
  const next = (): MarkdownLine | null => {
    const { value, done } = lines.next();
    return done ? null : value;
  };
  let [line, second, third] = [next(), next(), next()];
  while (line !== null) {
    const headed = line.kind === 'text' ? headingAt(line.text, textOf(second), textOf(third), book) : null;
    const last: MarkdownLine = [line, second, third][(headed?.lines ?? 1) - 1] ?? line;
    yield {
      from: line.from,
      to: last.to,
      heading: headed?.heading ?? null,
      saysSomething: line.kind !== 'fence' && saysSomething(line.text),
    };
    for (let taken = headed?.lines ?? 1; taken > 0; taken -= 1) [line, second, third] = [second, third, next()];
  }
}

const textOf = (line: MarkdownLine | null): string | null => (line?.kind === 'text' ? line.text : null);

type Headed = { heading: Heading; lines: number } | null;

function headingAt(whole: string, second: string | null, third: string | null, book: NameBook): Headed {
  const line = whole.slice(0, MAX_HEADING);
  if (line.trim() === '') return null;
  const hashes = /^ {0,3}(#{1,6})(?:\s+|(?=\p{L})|$)(.*)$/u.exec(line);
  if (hashes !== null) {
    const named = nameOver(hashes[2]!, isPlain(second) ? second : null, book);
    return headed('hashes', hashes[1]!.length, named.found, named.lines);
  }
  const underlined = underlinedAt(line, second, third, book);
  if (underlined !== null) return underlined;
  const bold = /^ {0,3}(?:\(?\w{1,5}[.)][ \t]+)?(\*\*|__)/.exec(line)?.[1];
  if (bold !== undefined) {
    const named = nameOver(line, second?.includes(bold) ? second : null, book);
    if (named.found !== null || isClosed(line, bold)) return headed('bold', WEAK, named.found, named.lines);
    return null;
  }
  return plainAt(line, second, book);
}

/** `Name:` alone on a line, or `3. Name` with what may follow a name; both may be wrapped. */
function plainAt(line: string, second: string | null, book: NameBook): Headed {
  const numbered = /^ {0,3}\(?\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+\S/.test(line);
  if (!numbered && !isPlain(line)) return null;
  const single = numbered || endsInColon(line) ? findName(line, book) : null;
  if (single !== null && (numbered || single.runIn === '')) return headed('plain', WEAK, single, 1);
  if (!isPlain(second) || !(numbered || endsInColon(second))) return null;
  const { found, lines } = nameOver(line, second, book);
  return found !== null && lines === 2 && found.runIn === '' ? headed('plain', WEAK, found, 2) : null;
}

/** A line over `===` or `---`. Over `---` only a wanted name counts, as models use `---` as a rule. */
function underlinedAt(line: string, second: string | null, third: string | null, book: NameBook): Headed {
  if (!isPlain(line)) return null;
  if (isUnderline(second)) {
    const level = second.includes('=') ? 1 : 2;
    const found = findName(line, book);
    return found === null && level === 2 && book.writer === 'model' ? null : headed('underlined', level, found, 2);
  }
  if (!isPlain(second) || !isUnderline(third)) return null;
  const { found, lines } = nameOver(line, second, book);
  return found !== null && lines === 2 ? headed('underlined', third.includes('=') ? 1 : 2, found, 3) : null;
}

/** Finds the name in a line, or in that line and the next: the longer one. */
function nameOver(line: string, second: string | null, book: NameBook): { found: NameFound | null; lines: number } {
  const single = findName(line, book);
  if (second === null) return { found: single, lines: 1 };
  const both = findName(`${line.trim()} ${second.trim()}`, book);
  return both !== null && both.key !== single?.key ? { found: both, lines: 2 } : { found: single, lines: 1 };
}

const headed = (form: Heading['form'], level: number, found: NameFound | null, lines: number): Headed => ({
  heading: { form, level, found },
  lines,
});

const isUnderline = (line: string | null): line is string =>
  line !== null && line.length <= MAX_HEADING && /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(line);

/** Whether the line alone is not a heading, list, quote or table. */
const isPlain = (line: string | null): line is string =>
  line !== null && /^\s*[^\s#>|+*-]/.test(line.slice(0, MAX_HEADING)) && !/^\s*\d{1,9}[.)]\s/.test(line.slice(0, 40));

const endsInColon = (line: string): boolean => line.length <= MAX_HEADING && /[:：][*_ \t]*$/.test(line);

/** Whether the emphasis extends to the end of the line, except for a colon or a full stop. */
const isClosed = (line: string, mark: string): boolean =>
  line
    .trimEnd()
    .replace(/[:：.]$/, '')
    .endsWith(mark);
