// The sections of a Markdown text, by its headings: with `#`, or underlined.

export interface Section {
  title: string;
  /** 1 to 6. */
  level: number;
  /** Lines of the text, the heading among them: from, and up to but not with. */
  from: number;
  to: number;
}

export function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  const open: Section[] = [];
  for (const heading of headingsOf(lines)) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()!.to = heading.from;
    open.push(heading);
    sections.push(heading);
  }
  return sections;
}

export const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u2028\u2029]/);

/** What is compared: without numbers, emphasis, closing marks, in small letters. */
export const plainTitle = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[*_`#:]/g, ' ')
    .replace(/^[\s\d.)]+/, '')
    .replace(/[\s-]+/g, ' ')
    .trim();

/** Text without the sections whose title is `title`; a note stands in their place. */
export function withoutSection(text: string, title: string, note: string): string {
  const lines = linesOf(text);
  const kept: string[] = [];
  let past = 0;
  for (const section of sectionsOf(lines)) {
    if (section.from < past || plainTitle(section.title) !== plainTitle(title)) continue;
    kept.push(lines.slice(past, section.from + 1).join('\n'), '', note, '');
    past = section.to;
  }
  return past === 0 ? text : [...kept, lines.slice(past).join('\n')].join('\n');
}

function headingsOf(lines: readonly string[]): Section[] {
  const headings: Section[] = [];
  let block: string | null = null;
  lines.forEach((line, i) => {
    const fence = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (block !== null) {
      if (fence?.startsWith(block) && /^[\s`~]*$/.test(line)) block = null;
      return;
    }
    if (fence !== undefined) {
      block = fence;
      return;
    }
    const marked = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line);
    if (marked) headings.push({ title: (marked[2] ?? '').trim(), level: marked[1]!.length, from: i, to: lines.length });
    const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)?.[1];
    if (underline === undefined || !isParagraph(lines[i - 1], underline) || headings.at(-1)?.from === i - 1) return;
    headings.push({ title: lines[i - 1]!.trim(), level: underline[0] === '=' ? 1 : 2, from: i - 1, to: lines.length });
  });
  return headings;
}

/** Something that such a line below it makes a heading; a numbered one is meant as one only above `=`. */
const isParagraph = (line: string | undefined, underline: string): boolean =>
  line !== undefined &&
  /^ {0,3}[^\s>#|=-]/.test(line) &&
  !/^ {0,3}[*+]\s/.test(line) &&
  (underline[0] === '=' || !/^ {0,3}\d+[.)]\s/.test(line));
