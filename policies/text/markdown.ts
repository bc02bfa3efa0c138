// Reads a text as Markdown: which lines are text, which are in fenced code, and the ways to read an answer with a missing mark.

export interface MarkdownLine {
  text: string;
  /** The offsets of the line and of the next line. */
  from: number;
  to: number;
  /** `fence`: a line that opens or closes a code block. */
  kind: 'text' | 'code' | 'fence';
}

interface Fence {
  /** The first word after the opening marks, in lower case; '' if there is none. */
  language: string;
  body: string;
  /** The offsets of the opening line, and of the line after the closing one. */
  from: number;
  to: number;
}

/** In the order of the text, in one pass and constant memory. */
export function* linesOf(text: string): Generator<MarkdownLine> {
  const open: Opening[] = [];
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const to = feed < 0 ? text.length : feed + 1;
    const line = text.slice(from, feed < 0 ? to : feed).replace(/\r$/, '');
    yield { text: line, from, to, kind: kindOf(line, open) };
    from = to;
  }
}

/** Returns the outermost code blocks; a block that is never closed extends to the end. */
export function fencesOf(text: string): Fence[] {
  const found: Fence[] = [];
  let begun: { language: string; from: number; bodyFrom: number } | null = null;
  const open: Opening[] = [];
  for (const { text: line, from, to } of linesOf(text)) {
    const opening = open.length === 0 ? openingIn(line) : null;
    kindOf(line, open);
    if (opening !== null) begun = { language: opening.language, from, bodyFrom: to };
    else if (begun !== null && open.length === 0) {
      found.push({ language: begun.language, body: text.slice(begun.bodyFrom, from), from: begun.from, to });
      begun = null;
    }
  }
  if (begun !== null)
    found.push({ language: begun.language, body: text.slice(begun.bodyFrom), from: begun.from, to: text.length });
  return found;
}

/** If the whole answer is in one block marked as Markdown, returns the content of the block. */
function unwrapped(text: string): string {
  if (!/^\s*(?:`{3,}|~{3,})[ \t]*(?:md|markdown)[ \t]*\r?\n/i.test(text.slice(0, 1000))) return text;
  const only = fencesOf(text)[0]!;
  return text.slice(only.to).trim() === '' ? only.body : text;
}

/** Whether a line has visible content. A rule, an empty item and a hidden comment have none. */
export const saysSomething = (line: string): boolean =>
  /[^\s\u200b-\u200f\u2060\ufeff#*_`~>|=:.+-]/.test(line.includes('<!--') ? withoutRemarks(line) : line);

function withoutRemarks(line: string): string {
  let kept = '';
  for (let at = 0; ; ) {
    const begin = line.indexOf('<!--', at);
    const end = begin < 0 ? -1 : line.indexOf('-->', begin);
    if (end < 0) return kept + line.slice(at);
    kept += line.slice(at, begin);
    at = end + 3;
  }
}

interface Opening {
  mark: string;
  length: number;
  column: number;
  language: string;
}

/** A block of Markdown may contain blocks, for which models use the same marks. */
const MARKDOWN = new Set(['md', 'markdown']);
/** The lines of these blocks begin with a sign, so marks after a blank belong to a line of a file. */
const EXACT = new Set(['diff', 'patch']);

const MAX_OPENING = 300;

function kindOf(line: string, open: Opening[]): MarkdownLine['kind'] {
  const inner = open.at(-1);
  if (inner === undefined || MARKDOWN.has(inner.language)) {
    const opening = openingIn(line);
    if (opening !== null && (inner === undefined || opening.language !== '')) {
      open.push(opening);
      return open.length === 1 ? 'fence' : 'code';
    }
  }
  if (inner === undefined) return 'text';
  if (!closes(line, inner)) return 'code';
  open.pop();
  return open.length === 0 ? 'fence' : 'code';
}

function openingIn(line: string): Opening | null {
  if (!line.includes('```') && !line.includes('~~~')) return null;
  const found = /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])?[ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s{]*)/.exec(
    line.slice(0, MAX_OPENING),
  );
  if (found === null) return null;
  const [, indent, marks, word] = found as unknown as [string, string, string, string];
  return { mark: marks.charAt(0), length: marks.length, column: indent.length, language: word.toLowerCase() };
}

function closes(line: string, { mark, length, column, language }: Opening): boolean {
  const bare = line.trim();
  if (bare.length < length || bare.charAt(0) !== mark) return false;
  for (const sign of bare) if (sign !== mark) return false;
  return line.length - line.trimStart().length <= column + (EXACT.has(language) ? 0 : 3);
}

/** An answer's readings, the strictest first, each for what those before lack. None is longer, apart from marks. */
export function* readingsOf(answer: string): Generator<string> {
  const text = unwrapped(visible(answer));
  const readings = [text, withoutOnlyBlock(text), withoutOpenFence(text)].filter((reading) => reading !== null);
  yield* readings;
  for (const reading of readings) yield withPlainMarks(reading);
}

/** Removes colours and a byte order mark; returns nothing if everything is in comments. */
function visible(answer: string): string {
  const text = answer.replace(COLOURS, '').replace(/^\ufeff/, '');
  let at = 0;
  for (;;) {
    at += /^\s*/.exec(text.slice(at, at + MAX_BLANK))![0].length;
    if (!text.startsWith('<!--', at)) return at === text.length ? '' : text;
    const end = text.indexOf('-->', at);
    if (end < 0) return text;
    at = end + 3;
  }
}

const COLOURS = /\u001b\[[0-?]*[ -/]*[@-~]/g;

const MAX_BLANK = 10_000;

/** If the answer has a preamble and then one text block, removes the lines around that block. */
function withoutOnlyBlock(text: string): string | null {
  const fences = fencesOf(text);
  for (const languages of [MARKDOWN, TEXT]) {
    const [only, another] = fences.filter(({ language }) => languages.has(language));
    if (only === undefined) continue;
    if (another !== undefined) return null;
    return `${text.slice(0, only.from)}\n${only.body}\n${text.slice(only.to)}`;
  }
  return null;
}

const TEXT = new Set(['', 'text', 'txt', 'plaintext']);

/** By the standard, a block that is never closed extends to the end. Here its author is assumed to have forgotten the end. */
function withoutOpenFence(text: string): string | null {
  let open: { from: number; to: number } | null = null;
  for (const { kind, from, to } of linesOf(text)) if (kind === 'fence') open = open === null ? { from, to } : null;
  return open === null ? null : text.slice(0, open.from) + text.slice(open.to);
}

/** Makes headings of what other answers mark as such: quotes, bold items, italic names, and `Name: text`. */
function withPlainMarks(text: string): string {
  const lines: string[] = [];
  for (const { text: line, kind } of linesOf(text)) lines.push(kind === 'text' ? plainMarks(line) : line);
  return lines.join('\n');
}

const plainMarks = (line: string): string =>
  line
    .replace(/^ {0,3}>[> \t]*/, '')
    .replace(/^ {0,3}[-*+][ \t]+(?=\*\*|__)/, '')
    .replace(/^ {0,3}([*_])([^*_\s][^*_]{0,200})\1([:：]?)\s*$/, '**$2**$3')
    .replace(/^ {0,3}(\p{L}[^:*_`|]{0,100}):[ \t]+(?=\S)/u, '**$1:** ');
