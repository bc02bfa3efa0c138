// What of a model's text may stand in a document: no escape codes, and no block of code that runs on into the next section.

import { linesOf } from '../../markdown/lines.ts';
import { visible } from '../../text/visible-text.ts';

/** Sequences of a terminal as a whole: CSI, then OSC and its like up to their end, then any other. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]?/g;

/** Without escape codes, signs that a terminal obeys, and those that turn the order of others about. */
export const shownText = (text: string): string => visible(text.replace(/\r\n?/g, '\n').replace(ESCAPES, ''));

/** The same of a section, whose last block of code is closed where the model did not close it. */
export function sectionText(text: string): string {
  const shown = shownText(text).trim();
  let mark: string | null = null;
  for (const { text: line, kind } of linesOf(shown))
    if (kind === 'fence') mark = mark === null ? (/`{3,}|~{3,}/.exec(line)?.[0] ?? '```') : null;
  return mark === null ? shown : `${shown}\n${mark}`;
}

/** Whether it begins with a heading of its own, so that it needs none of ours. */
export const beginsWithHeading = (text: string): boolean => /^ {0,3}#{1,6}\s+\S/.test(text);
