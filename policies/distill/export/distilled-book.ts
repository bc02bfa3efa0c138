// Defines a distilled book for export, and prepares its texts, its facts and its file name for every format.

import { oneLine, visible } from '../../text/display.ts';
import { linesOf } from '../../text/markdown.ts';

export interface DistilledBook {
  /** `name`: the file name, as the user gave it. */
  book: { name: string; sha256: string };
  /** The requested model; each section names the version that answered. */
  model: string;
  /** The name of the prompt's file. */
  prompt: string;
  /** ISO times; `finishedAt` is null until the end of the book is reached. */
  startedAt: string;
  finishedAt: string | null;
  sections: readonly BookSection[];
  /** The lines of `trace.jsonl`, redacted; null if they were not requested. */
  trace: readonly string[] | null;
}

export interface BookSection {
  /** The section's number in all commands. A deleted section leaves a gap. */
  number: number;
  /** One line. */
  title: string;
  /** Markdown, as the model wrote it, without the end marker. It is untrusted: neither its links nor its images are followed. */
  text: string;
  modelVersion: string | null;
  tokens: number;
  /** When the section was accepted. */
  at: string;
}

/** Matches complete terminal sequences: CSI, then OSC and similar ones up to their end, then any other. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]?/g;

/** Removes escape codes, terminal control characters, and characters that reverse the order of others. */
export const shownText = (text: string): string => visible(text.replace(/\r\n?/g, '\n').replace(ESCAPES, ''));

/** The same for a section. If the model did not close the last code block, it is closed. */
function sectionText(text: string): string {
  const shown = shownText(text).trim();
  let mark: string | null = null;
  for (const { text: line, kind } of linesOf(shown))
    if (kind === 'fence') mark = mark === null ? (/`{3,}|~{3,}/.exec(line)?.[0] ?? '```') : null;
  return mark === null ? shown : `${shown}\n${mark}`;
}

/** Whether the text begins with its own heading, so that we need not add one. */
const beginsWithHeading = (text: string): boolean => /^ {0,3}#{1,6}\s+\S/.test(text);

interface ShownSection {
  /** One line of plain text; null if the text begins with its own heading. */
  heading: string | null;
  text: string;
}

/** Returns a section with its heading. If the title came from the first line of the text, it is not printed twice. */
export function shownSection({ number, title, text }: BookSection): ShownSection {
  const shown = sectionText(text);
  if (beginsWithHeading(shown)) return { heading: null, text: shown };
  const name = oneLine(shownText(title));
  const end = shown.indexOf('\n');
  const [first, rest] = end < 0 ? [shown, ''] : [shown.slice(0, end), shown.slice(end + 1)];
  const opening = first.replace(/[*_`]/g, '').trim();
  const isWholeBlock = rest === '' || rest.startsWith('\n');
  if (opening === name && isWholeBlock && rest.trim() !== '')
    return { heading: `${number}. ${name}`, text: rest.trimStart() };
  return { heading: opening.startsWith(name) ? `Section ${number}` : `${number}. ${name}`, text: shown };
}

/** The book's name without its file extension. */
export const bookTitle = ({ book }: DistilledBook): string =>
  oneLine(shownText(book.name)).replace(/\.(?:pdf|epub|txt|md)$/i, '') || 'book';

/** In the order in which they are shown. */
export function facts({
  book,
  model,
  prompt,
  startedAt,
  finishedAt,
  sections,
}: DistilledBook): [name: string, value: string | number][] {
  const versions = [...new Set(sections.flatMap(({ modelVersion }) => modelVersion ?? []))];
  return [
    ['book', oneLine(shownText(book.name))],
    ['sha256', book.sha256],
    ['model', oneLine(shownText(model))],
    ['answered by', oneLine(shownText(versions.join(', '))) || 'not said'],
    ['prompt', oneLine(shownText(prompt))],
    ['started', startedAt],
    ['finished', finishedAt ?? 'not yet'],
    ['sections', sections.length],
    ['tokens', sections.reduce((sum, { tokens }) => sum + tokens, 0)],
  ];
}

export const EXPORT_FORMATS = ['md', 'txt', 'pdf'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** An export's file name: the book's, in characters for every file system. @param copy from 2 on, if it is taken. */
export function exportName(distilled: DistilledBook, format: ExportFormat, copy = 1): string {
  const safe = bookTitle(distilled)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} ._()'-]+/gu, '-')
    .replace(/^[.\s-]+|[.\s-]+$/g, '');
  // Most file systems accept 255 bytes.
  let short = safe === '' ? 'book' : safe;
  while (Buffer.byteLength(short) > MAX_BYTES) short = [...short].slice(0, -1).join('');
  return `${short}${copy === 1 ? '' : ` (${copy})`}.${format}`;
}

const MAX_BYTES = 200;
