// The ways in which an answer can be read as Markdown, the strictest first: what a person sees there must not be lost for a mark.

import { fencesOf, linesOf, unwrapped } from './lines.ts';

/** A reading is asked only where those before it lack something. Each is at most as long as the answer, some marks aside. */
export function* readingsOf(answer: string): Generator<string> {
  const text = unwrapped(visible(answer));
  const readings = [text, withoutOnlyBlock(text), withoutOpenFence(text)].filter((reading) => reading !== null);
  yield* readings;
  for (const reading of readings) yield withPlainMarks(reading);
}

/** Without colours and a mark of byte order; nothing where all lies in remarks. */
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

/** A preamble, and then the answer in a block: the lines around the one block that is text are taken away. */
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

const MARKDOWN = new Set(['md', 'markdown']);
const TEXT = new Set(['', 'text', 'txt', 'plaintext']);

/** A block that is never closed reaches to the end by the book; whoever wrote it forgot its end. */
function withoutOpenFence(text: string): string | null {
  let open: { from: number; to: number } | null = null;
  for (const { kind, from, to } of linesOf(text)) if (kind === 'fence') open = open === null ? { from, to } : null;
  return open === null ? null : text.slice(0, open.from) + text.slice(open.to);
}

/** Quotes, items that begin with a bold name, slanted names, and `Name: text` become what headings are in other answers. */
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
