// The blocks of a section's Markdown as those of a PDF: headings with bookmarks, lists, quotes, code and tables.

import { Lexer, type Tokens } from 'marked';
import { CODE_BACKGROUND, inlineRuns, type PdfPlace, type PdfRun, set } from './pdf-inline.ts';

type Token = Tokens.Generic;

/** As pdfmake reads it. */
export type PdfBlock = Readonly<Record<string, unknown>>;

/** @param parent the bookmark below which those of its headings stand. */
export function blocksOf(markdown: string, place: PdfPlace, parent: string): PdfBlock[] {
  return blocks(blockTokens(markdown.replace(DEEP_QUOTES, '> '.repeat(MAX_DEPTH))), { ...place, parent, depth: 0 });
}

interface Within extends PdfPlace {
  parent: string;
  depth: number;
}

/** Without what stands in the lines, which `inlineRuns` reads. */
function blockTokens(markdown: string): Token[] {
  try {
    return new Lexer({ gfm: true }).blockTokens(markdown, []);
  } catch {
    // A thousand quotes within each other are more than its stack holds.
    return [{ type: 'code', raw: markdown, text: markdown }];
  }
}

const MAX_DEPTH = 8;
/** Each mark costs its reader the whole rest of the text once more. */
const DEEP_QUOTES = /^(?:[ \t]{0,3}>){9,}/gm;
/** More do not fit a page, and stand as lines. */
const MAX_COLUMNS = 8;
const LONG_WORD = 14;

const blocks = (tokens: readonly Token[], within: Within): PdfBlock[] =>
  tokens.map((token) => block(token, within)).filter((each) => each !== null);

function block(token: Token, within: Within): PdfBlock | null {
  if (within.depth > MAX_DEPTH) return { text: set(token.raw, within), margin: [0, 0, 0, 6] };
  const deeper = { ...within, depth: within.depth + 1 };
  switch (token.type) {
    case 'heading':
      return headingBlock(token.text, token.depth, within, { parent: within.parent });
    case 'list':
      return listBlock(token as Tokens.List, deeper);
    case 'blockquote':
      return { stack: blocks(token.tokens ?? [], deeper), margin: [12, 0, 0, 4], italics: true };
    case 'code':
      return codeBlock(token.text, within);
    case 'table':
      return tableBlock(token as Tokens.Table, within);
    case 'hr':
      return { text: '* * *', alignment: 'center', margin: [0, 4, 0, 8] };
    case 'html': {
      const text = token.text.replace(/<!--[\s\S]*?-->|<[^>]*>/g, '').trim();
      return text === '' ? null : paragraph(set(text, within));
    }
    case 'space':
    case 'def':
      return null;
    default:
      return paragraphs(inlineRuns(token.text ?? token.raw, within));
  }
}

const paragraph = (text: readonly PdfRun[]): PdfBlock => ({ text, margin: [0, 0, 0, 6] });

/** Lines are broken in a time that grows with the square of a paragraph, so that a very long one is laid out in pieces. */
const PIECE_CHARS = 4000;

function paragraphs(runs: readonly PdfRun[]): PdfBlock {
  if (runs.reduce((sum, { text }) => sum + text.length, 0) <= PIECE_CHARS * 2) return paragraph(runs);
  return { stack: runs.flatMap((run) => piecesOf(run.text).map((text) => paragraph([{ ...run, text }]))) };
}

/** At spaces, where there are any. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const space = text.lastIndexOf(' ', from + PIECE_CHARS);
    const to = text.length - from <= PIECE_CHARS ? text.length : space > from ? space + 1 : from + PIECE_CHARS;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** @param mark its bookmark's own name, and that of the one above it. */
export function headingBlock(
  text: string,
  depth: number,
  place: PdfPlace,
  mark: { id?: string; parent?: string },
): PdfBlock {
  const runs = inlineRuns(text, place, { bold: true });
  return {
    text: runs,
    fontSize: [18, 15, 13, 12, 11, 11][depth - 1] ?? 11,
    margin: [0, depth === 1 ? 14 : 8, 0, 6],
    headlineLevel: depth,
    outline: true,
    outlineText:
      runs
        .map((run) => run.text)
        .join('')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 200) || '-',
    ...(mark.id === undefined ? {} : { id: mark.id }),
    ...(mark.parent === undefined ? {} : { outlineParentId: mark.parent }),
  };
}

function listBlock({ ordered, start, items }: Tokens.List, within: Within): PdfBlock {
  const entries = items.map(({ tokens, task, checked }) => {
    const stack = blocks(
      (tokens as Token[]).filter(({ type }) => type !== 'checkbox'),
      within,
    );
    return { stack: task ? [{ text: set(checked ? '[x]' : '[ ]', within) }, ...stack] : stack };
  });
  const numbered = { ol: entries, ...(typeof start === 'number' && start > 1 ? { start } : {}) };
  return { ...(ordered ? numbered : { ul: entries }), margin: [0, 0, 0, 6] };
}

/** Code that runs on over many pages is cut in blocks, for a block is laid out as a whole. */
const CODE_LINES = 40;

function codeBlock(text: string, within: Within): PdfBlock {
  const lines = text.replaceAll('\t', '    ').split('\n');
  const parts: PdfBlock[] = [];
  for (let at = 0; at < lines.length; at += CODE_LINES)
    parts.push({
      text: set(lines.slice(at, at + CODE_LINES).join('\n'), within, { background: CODE_BACKGROUND }),
      preserveLeadingSpaces: true,
      fontSize: 9,
    });
  return { stack: parts, margin: [8, 2, 0, 8] };
}

function tableBlock({ header, rows, raw }: Tokens.Table, within: Within): PdfBlock {
  if (header.length > MAX_COLUMNS) return codeBlock(raw.trimEnd(), within);
  const cells = (row: readonly Tokens.TableCell[], style: { bold?: true }) =>
    header.map((_, i) => ({ text: breakable(inlineRuns(row[i]?.text ?? '', within, style)) }));
  return {
    table: {
      headerRows: 1,
      widths: header.map(() => '*'),
      body: [cells(header, { bold: true }), ...rows.map((row) => cells(row, {}))],
    },
    layout: 'lightHorizontalLines',
    fontSize: 9,
    margin: [0, 2, 0, 8],
  };
}

/** A word that is wider than its column would run out of the page. */
const breakable = (runs: readonly PdfRun[]): object[] =>
  runs.flatMap((run) =>
    run.text.split(LONG_WORDS).map((text) => ({
      ...run,
      text,
      ...(text.length > LONG_WORD && !/\s/.test(text) ? { wordBreak: 'break-all' } : {}),
    })),
  );

const LONG_WORDS = new RegExp(`(\\S{${LONG_WORD + 1},})`);
