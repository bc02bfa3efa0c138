// Builds a pdfmake document of a distilled book: head, sections from Markdown blocks, bookmarks, and the trace.

import { bookTitle, type DistilledBook, facts, shownSection, shownText } from './distilled-book.ts';
import { sectionNamed, type Typesetter } from './font-runs.ts';
import { blockTokens, MAX_DEPTH, type Token, type Tokens, withoutTags } from './markdown-tokens.ts';
import { CODE_BACKGROUND, FAINT, inlineRuns, type PdfPlace, type PdfRun, set, setCode } from './pdf-inline.ts';

export function pdfDocument(distilled: DistilledBook, typesetter: Typesetter): PdfBlock {
  const title = bookTitle(distilled);
  const { model, finishedAt, startedAt, sections, trace } = distilled;
  const inFront = { typesetter, where: 'the name of the book' };
  return {
    info: {
      title,
      subject: `distilled by ${shownText(model)}`,
      keywords: distilled.book.sha256,
      creator: 'tollgate',
      producer: 'tollgate',
      creationDate: new Date(finishedAt ?? startedAt),
    },
    pageSize: 'A4',
    pageMargins: [56, 56, 56, 56],
    defaultStyle: { fontSize: 10.5, lineHeight: 1.25 },
    content: [
      { text: set(title, inFront, { bold: true }), fontSize: 24, margin: [0, 0, 0, 12] },
      ...pageOneFacts(distilled).map(([name, value]) => ({
        text: set(`${name}: ${value}`, inFront, { color: FAINT }),
        fontSize: 9,
      })),
      ...sections.flatMap((section, i) => sectionBlocks(section, typesetter, i === 0 ? title : null)),
      ...(trace === null ? [] : traceBlocks(trace, typesetter)),
    ],
    footer: (page: number, pages: number) => ({
      text: `${page} / ${pages}`,
      alignment: 'center',
      fontSize: 8,
      margin: [0, 20, 0, 0],
    }),
  };
}

/** Omits the name of the book, which is the title, and its hash, which is among the properties. */
const pageOneFacts = (distilled: DistilledBook) =>
  facts(distilled).filter(([name]) => name !== 'book' && name !== 'sha256');

type Section = DistilledBook['sections'][number];

/** @param bookName the title above the section on the page, which a first heading does not repeat; null if there is none. */
function sectionBlocks(section: Section, typesetter: Typesetter, bookName: string | null): PdfBlock[] {
  const place = { typesetter, where: sectionNamed(section.number, shownText(section.title)) };
  const { heading, text } = shownSection(section);
  const id = `section-${section.number}`;
  if (heading !== null)
    return [headingBlock(set(heading, place, { bold: true }), 1, { id }), ...blocksOf(text, place, id)];
  return sectionWithHeading(text, place, id, bookName);
}

function traceBlocks(trace: readonly string[], typesetter: Typesetter): PdfBlock[] {
  const place = { typesetter, where: 'the trace' };
  const lines = trace.map((line) => ({
    text: set(shownText(line), place),
    fontSize: 7,
    margin: [0, 0, 0, 3],
    wordBreak: 'break-all',
  }));
  const heading = headingBlock(set('Trace', place, { bold: true }), 1, { id: 'trace' });
  return [{ stack: [heading], pageBreak: 'before' }, ...lines];
}

/** In the format of pdfmake. */
type PdfBlock = Readonly<Record<string, unknown>>;

/** @param parent the bookmark that contains those of the headings. */
function blocksOf(markdown: string, place: PdfPlace, parent: string): PdfBlock[] {
  return blocks(blockTokens(markdown), { ...place, parent, depth: 0 });
}

/**
 * Converts a section that begins with its own heading, which gets the section's bookmark.
 * @param bookName a heading that only repeats it becomes a bookmark without text; null if there is none.
 */
function sectionWithHeading(markdown: string, place: PdfPlace, id: string, bookName: string | null): PdfBlock[] {
  const [first, ...rest] = blockTokens(markdown);
  const runs = inlineRuns(first!.text, place, { bold: true });
  const isRepeated = bookName !== null && sameWords(textOf(runs), bookName);
  const heading = isRepeated
    ? { text: '', ...bookmarkOf(runs, { id }) }
    : headingBlock(runs, first!.depth ?? 1, { id });
  return [heading, ...blocks(rest, { ...place, parent: id, depth: 0 })];
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const sameWords = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other);

interface Within extends PdfPlace {
  parent: string;
  depth: number;
}

/** A wider table does not fit on a page and is printed as code. */
const MAX_COLUMNS = 8;

const blocks = (tokens: readonly Token[], within: Within): PdfBlock[] =>
  tokens.map((token) => block(token, within)).filter((each) => each !== null);

function block(token: Token, within: Within): PdfBlock | null {
  if (within.depth > MAX_DEPTH) return { text: set(token.raw, within), margin: [0, 0, 0, 6] };
  const deeper = { ...within, depth: within.depth + 1 };
  switch (token.type) {
    case 'heading':
      return headingBlock(inlineRuns(token.text, within, { bold: true }), token.depth, { parent: within.parent });
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
      const text = withoutTags(token.text);
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

/** The time for line breaking grows with the square of a paragraph's length. So a very long paragraph is printed in pieces. */
const PIECE_CHARS = 4000;

const lengthOf = (runs: readonly PdfRun[]): number => runs.reduce((sum, { text }) => sum + text.length, 0);

function paragraphs(runs: readonly PdfRun[]): PdfBlock {
  if (lengthOf(runs) <= PIECE_CHARS * 2) return paragraph(breakable(runs, TEXT_WORD));
  return {
    stack: runs.flatMap((run) => piecesOf(run.text).map((text) => paragraph(breakable([{ ...run, text }], TEXT_WORD)))),
  };
}

/** Splits at spaces, if there are any. */
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

/** A longer heading would not be recognised as one by a reader, and is printed as bold text. */
const MAX_HEADING_CHARS = 300;

/** The points that a page must have below a heading, so that its first lines follow on the same page. */
const KEEP_BELOW = 40;

/** `id` is that of its bookmark; `parent` is the id of the bookmark above it. */
interface Mark {
  id?: string;
  parent?: string;
}

const textOf = (runs: readonly PdfRun[]): string => runs.map((run) => run.text).join('');

const bookmarkOf = (runs: readonly PdfRun[], { id, parent }: Mark): PdfBlock => ({
  outline: true,
  outlineText: textOf(runs).replace(/\s+/g, ' ').trim().slice(0, 200) || '-',
  ...(id === undefined ? {} : { id }),
  ...(parent === undefined ? {} : { outlineParentId: parent }),
});

function headingBlock(runs: readonly PdfRun[], depth: number, mark: Mark): PdfBlock {
  const bookmark = bookmarkOf(runs, mark);
  if (lengthOf(runs) > MAX_HEADING_CHARS) return { stack: [{ text: '', ...bookmark }, paragraphs(runs)] };
  const size = [18, 15, 13, 12, 11, 11][depth - 1] ?? 11;
  const heading = {
    text: breakable(runs, HEADING_WORD),
    fontSize: size,
    margin: [0, depth === 1 ? 14 : 8, 0, 6 + KEEP_BELOW],
    headlineLevel: depth,
    ...bookmark,
  };
  // A negative margin removes the reserved space: the next block begins where the heading ends.
  return {
    stack: [
      { stack: [heading], unbreakable: true },
      { text: '', fontSize: 1, margin: [0, -KEEP_BELOW - 1, 0, 0] },
    ],
  };
}

function listBlock({ ordered, start, items }: Tokens.List, within: Within): PdfBlock {
  const entries = items.map(({ tokens, task, checked }) => {
    const parts = (tokens as Token[]).filter(({ type }) => type !== 'checkbox');
    const stack = blocks(parts, within);
    return task ? { stack: withBox(stack, checked === true, within), listType: 'none' } : { stack };
  });
  const numbered = { ol: entries, ...(typeof start === 'number' && start > 1 ? { start } : {}) };
  return { ...(ordered ? numbered : { ul: entries }), margin: [0, 0, 0, 6] };
}

/** Puts a task's checkbox on the first line of its text. */
function withBox(stack: readonly PdfBlock[], checked: boolean, place: PdfPlace): PdfBlock[] {
  const box = set(checked ? '\u2611 ' : '\u2610 ', place);
  const [first, ...rest] = stack;
  if (first === undefined || !Array.isArray(first.text)) return [paragraph(box), ...stack];
  return [{ ...first, text: [...box, ...first.text] }, ...rest];
}

/** Long code is split into blocks, because each block is laid out as a whole. */
const CODE_LINES = 40;

function codeBlock(text: string, within: Within): PdfBlock {
  const lines = text.replaceAll('\t', '    ').split('\n');
  const parts: PdfBlock[] = [];
  for (let at = 0; at < lines.length; at += CODE_LINES)
    parts.push({
      text: breakable(
        setCode(lines.slice(at, at + CODE_LINES).join('\n'), within, { background: CODE_BACKGROUND }),
        CODE_WORD,
      ),
      preserveLeadingSpaces: true,
      fontSize: 8.5,
    });
  return { stack: parts, margin: [8, 2, 0, 8] };
}

function tableBlock({ header, align, rows, raw }: Tokens.Table, within: Within): PdfBlock {
  if (header.length > MAX_COLUMNS) return codeBlock(raw.trimEnd(), within);
  const cells = (row: readonly Tokens.TableCell[], style: { bold?: true }) =>
    header.map((_, i) => ({
      text: breakable(inlineRuns(row[i]?.text ?? '', within, style), CELL_WORD),
      ...(align[i] ? { alignment: align[i] } : {}),
    }));
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

/** How many letters surely fit a cell, a heading, a text line, a code line. A longer word is broken. */
const [CELL_WORD, HEADING_WORD, TEXT_WORD, CODE_WORD] = [14, 25, 45, 80];

/** A word that is wider than its column would extend beyond the page. */
const breakable = (runs: readonly PdfRun[], longest: number): PdfRun[] =>
  runs.flatMap((run) =>
    run.text.split(new RegExp(`(\\S{${longest + 1},})`)).map((text) => ({
      ...run,
      text,
      ...(text.length > longest && !/\s/.test(text) ? { wordBreak: 'break-all' as const } : {}),
    })),
  );
