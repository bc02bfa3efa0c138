// Lists the facts about a distilled book that appear at the head of each export.

import { oneLine } from '../../text/display.ts';
import type { DistilledBook } from '../section.ts';
import { shownText } from './shown-text.ts';

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
