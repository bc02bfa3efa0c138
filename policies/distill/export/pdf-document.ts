// Builds a pdfmake document of a distilled book: properties, head, bookmarked sections, page numbers, and the trace.

import type { DistilledBook } from '../section.ts';
import { bookTitle, facts } from './book-facts.ts';
import { sectionNamed, type Typesetter } from './font-runs.ts';
import { blocksOf, headingBlock, type PdfBlock, sectionWithHeading } from './pdf-blocks.ts';
import { FAINT, set } from './pdf-inline.ts';
import { shownSection, shownText } from './shown-text.ts';

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
