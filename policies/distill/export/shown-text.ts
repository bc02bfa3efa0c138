// Prepares a model's text for a document: removes escape codes, and closes a code block that would run into the next section.

import { oneLine, visible } from '../../text/display.ts';
import { linesOf } from '../../text/markdown.ts';
import type { BookSection } from '../section.ts';

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
