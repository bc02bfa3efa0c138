// What of a model's text may stand in a document: no escape codes, and no block of code that runs on into the next section.

import { linesOf } from '../../markdown/lines.ts';
import { oneLine } from '../../text/one-line.ts';
import { visible } from '../../text/visible-text.ts';
import type { BookSection } from '../section.ts';

/** Sequences of a terminal as a whole: CSI, then OSC and its like up to their end, then any other. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]?/g;

/** Without escape codes, signs that a terminal obeys, and those that turn the order of others about. */
export const shownText = (text: string): string => visible(text.replace(/\r\n?/g, '\n').replace(ESCAPES, ''));

/** The same of a section. A last block of code that the model did not close is closed. */
function sectionText(text: string): string {
  const shown = shownText(text).trim();
  let mark: string | null = null;
  for (const { text: line, kind } of linesOf(shown))
    if (kind === 'fence') mark = mark === null ? (/`{3,}|~{3,}/.exec(line)?.[0] ?? '```') : null;
  return mark === null ? shown : `${shown}\n${mark}`;
}

/** Whether it begins with a heading of its own, so that it needs none of ours. */
const beginsWithHeading = (text: string): boolean => /^ {0,3}#{1,6}\s+\S/.test(text);

interface ShownSection {
  /** Of one line, plain text; null where the text begins with a heading of its own. */
  heading: string | null;
  text: string;
}

/** A section with its heading. A title that was taken from the first line of the text is not printed twice. */
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
