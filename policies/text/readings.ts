// Yields the ways to read an answer as Markdown, the strictest first, so that a missing mark does not hide visible text.

import { fencesOf, linesOf, unwrapped } from './lines.ts';

/** A reading is used only if those before it lack something. Each is at most as long as the answer, apart from some marks. */
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

const MARKDOWN = new Set(['md', 'markdown']);
const TEXT = new Set(['', 'text', 'txt', 'plaintext']);

/** By the standard, a block that is never closed extends to the end. Here its author is assumed to have forgotten the end. */
function withoutOpenFence(text: string): string | null {
  let open: { from: number; to: number } | null = null;
  for (const { kind, from, to } of linesOf(text)) if (kind === 'fence') open = open === null ? { from, to } : null;
  return open === null ? null : text.slice(0, open.from) + text.slice(open.to);
}

/**
 * Rewrites as headings what other answers write as headings: quotes, items that begin with a bold name, italic names, and `Name:
 * text`.
 */
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
