// A distilled book as a document of pdfmake: properties, a head, the sections with a bookmark each, page numbers, and the trace.

import type { DistilledBook } from '../section.ts';
import { bookTitle, facts } from './book-facts.ts';
import { sectionNamed, type Typesetter } from './font-runs.ts';
import { blocksOf, headingBlock, type PdfBlock } from './pdf-blocks.ts';
import { FAINT, set } from './pdf-inline.ts';
import { beginsWithHeading, sectionText, shownText } from './shown-text.ts';

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
      ...facts(distilled).map(([name, value]) => ({
        text: set(`${name}: ${value}`, inFront, { color: FAINT }),
        fontSize: 9,
      })),
      ...sections.flatMap((section) => sectionBlocks(section, typesetter)),
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

type Section = DistilledBook['sections'][number];

/** Its own first heading bears its bookmark, or one of ours where it has none. */
function sectionBlocks({ number, title, text }: Section, typesetter: Typesetter): PdfBlock[] {
  const name = shownText(title);
  const place = { typesetter, where: sectionNamed(number, name) };
  const shown = sectionText(text);
  const id = `section-${number}`;
  if (!beginsWithHeading(shown))
    return [headingBlock(`${number}\\. ${name}`, 1, place, { id }), ...blocksOf(shown, place, id)];
  const [first, ...rest] = blocksOf(shown, place, id);
  const { outlineParentId: _, ...top } = first!;
  return [{ ...top, id }, ...rest];
}

function traceBlocks(trace: readonly string[], typesetter: Typesetter): PdfBlock[] {
  const place = { typesetter, where: 'the trace' };
  const lines = trace.map((line) => ({
    text: set(shownText(line), place),
    fontSize: 7,
    margin: [0, 0, 0, 3],
    wordBreak: 'break-all',
  }));
  return [{ ...headingBlock('Trace', 1, place, { id: 'trace' }), pageBreak: 'before' }, ...lines];
}
