// Finds the sections of a text by name, and returns their text, or the text without a section.

import { bookOf, type Heading, keyOf, type NameWriter, outlineOf, WEAK } from './headings.ts';
import { readingsOf } from './markdown.ts';

interface Section {
  heading: Heading;
  /** Where its heading begins, where its text begins, and where it ends. */
  from: number;
  textFrom: number;
  to: number;
}

/** All sections with one of the names, in order, none nested. @param others names that also end a section. */
export function sectionsNamed(
  text: string,
  { names, others = [], writer }: { names: readonly string[]; others?: readonly string[]; writer: NameWriter },
): Section[] {
  const wanted = new Set(names.map(keyOf));
  const sections: Section[] = [];
  let open: Section | null = null;
  for (const { heading, from, to } of outlineOf(text, bookOf([...names, ...others], writer))) {
    if (heading === null || (open !== null && !ends(heading, open.heading))) continue;
    if (open !== null) open.to = from;
    const isWanted = heading.found !== null && wanted.has(heading.found.key);
    open = isWanted ? { heading, from, textFrom: to, to: text.length } : null;
    if (open !== null) sections.push(open);
  }
  return sections;
}

/** A bold line ends a section that began with one. A named heading ends every section except those above it. */
function ends(heading: Heading, open: Heading): boolean {
  if (heading.level < WEAK && open.level < WEAK) return heading.level <= open.level;
  return heading.level < WEAK || heading.found !== null || open.level === WEAK;
}

/** The first non-empty section of that name, without its heading, or null. @param others all required names. */
export function sectionText(answer: string, name: string, others: readonly string[] = []): string | null {
  for (const text of readingsOf(answer)) {
    const found = firstWithText(text, name, others);
    if (found !== null) return textOf(text, found);
  }
  return null;
}

/** Returns the texts of all non-empty sections with that name, in order, as `sectionText` reads them. */
export function sectionTexts(answer: string, name: string): string[] {
  for (const text of readingsOf(answer)) {
    const found = sectionsNamed(text, { names: [name], writer: 'model' }).map((one) => textOf(text, one));
    const texts = found.filter((one) => one !== '');
    if (texts.length > 0) return texts;
  }
  return [];
}

/** Returns an answer with a note instead of the section that `sectionText` finds. */
export function withoutSection(answer: string, name: string, note: string): string {
  for (const text of readingsOf(answer)) {
    const found = firstWithText(text, name, []);
    if (found === null) continue;
    const { heading, from, textFrom, to } = found;
    const title = heading.found!.runIn === '' ? text.slice(from, textFrom) : `**${name}**\n`;
    return `${text.slice(0, from)}${title}\n${note}\n\n${text.slice(to)}`;
  }
  return answer;
}

const firstWithText = (text: string, name: string, others: readonly string[]): Section | null =>
  sectionsNamed(text, { names: [name], others, writer: 'model' }).find((one) => textOf(text, one) !== '') ?? null;

const textOf = (text: string, { heading, textFrom, to }: Section): string =>
  `${heading.found!.runIn}\n${text.slice(textFrom, to)}`.trim();

/** Returns the headings that Markdown itself recognises, of a text that a person wrote. */
export function titlesOf(text: string): { title: string; level: number }[] {
  return [...outlineOf(text, bookOf([], 'person'))].flatMap(({ heading, from, to }) => {
    if (heading === null || heading.level >= WEAK) return [];
    const [line] = text.slice(from, to).split('\n') as [string];
    const title = heading.form === 'hashes' ? line.replace(/^ *#+|[ \t]#+\s*$/g, '') : line;
    return [{ title: title.trim(), level: heading.level }];
  });
}

/** Returns all headings of an answer as they are written, in any form, without their marks. Bold lines are included. */
export function headingsOf(answer: string): string[] {
  const [text] = readingsOf(answer);
  return [...outlineOf(text!, bookOf([], 'model'))].flatMap(({ heading, from, to }) => {
    if (heading === null) return [];
    const [line] = text!.slice(from, to).split('\n') as [string];
    const title = line.replace(/^[\s#*_]+|[\s#*_:]+$/g, '').trim();
    return title === '' ? [] : [title];
  });
}
