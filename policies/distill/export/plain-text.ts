// A distilled book as one text file: a header, then the sections in order under their titles, then the trace.

import { oneLine } from '../../text/one-line.ts';
import type { DistilledBook } from '../section.ts';
import { bookTitle, facts } from './book-facts.ts';
import { beginsWithHeading, sectionText, shownText } from './shown-text.ts';

export function asPlainText(distilled: DistilledBook): string {
  const { sections, trace } = distilled;
  const rows = facts(distilled);
  const widest = Math.max(...rows.map(([name]) => name.length));
  const header = [
    underlined(bookTitle(distilled), '='),
    ...rows.map(([name, value]) => `${`${name}:`.padEnd(widest + 2)}${value}`),
  ].join('\n');
  const parts = sections.map(({ number, title, text }) => {
    const shown = sectionText(text);
    return beginsWithHeading(shown) ? shown : `${underlined(`${number}. ${oneLine(shownText(title))}`, '-')}\n${shown}`;
  });
  const appendix = trace === null ? [] : [[underlined('Trace', '='), ...trace.map(shownText)].join('\n')];
  return `${[header, ...parts, ...appendix].join('\n\n\n').trimEnd()}\n`;
}

const underlined = (title: string, sign: string): string => `${title}\n${sign.repeat(Math.min(title.length, 72))}\n`;
