// A distilled book as one Markdown file: front matter that YAML reads, then the sections in order, then the trace.

import type { DistilledBook } from '../section.ts';
import { bookTitle, facts } from './book-facts.ts';
import { shownSection, shownText } from './shown-text.ts';
import { isWild, tamed } from './tame-markdown.ts';

export function asMarkdown(distilled: DistilledBook): string {
  const { sections, trace } = distilled;
  // A block of code that one section leaves open says what is code in the next, so that it is all of them or none.
  const wild = sections.some(({ title, text }) => isWild(title) || isWild(text));
  const safe = wild ? tamed : (text: string) => text;
  const parts = sections.map((section) => {
    const { heading, text } = shownSection(section);
    return heading === null ? safe(text) : `## ${safe(heading)}\n\n${safe(text)}`;
  });
  return `${[frontMatter(distilled), ...parts, ...(trace === null ? [] : [appendix(trace)])].join('\n\n').trimEnd()}\n`;
}

/** A text in JSON is one in YAML, whatever stands in it. */
function frontMatter(distilled: DistilledBook): string {
  const rows = [['title', bookTitle(distilled)] as const, ...facts(distilled)];
  return ['---', ...rows.map(([name, value]) => `${name.replaceAll(' ', '_')}: ${JSON.stringify(value)}`), '---'].join(
    '\n',
  );
}

/** In a block whose marks are longer than any in the lines. */
function appendix(trace: readonly string[]): string {
  const lines = trace.map(shownText);
  const longest = Math.max(2, ...lines.map((line) => longestRun(line)));
  const fence = '`'.repeat(longest + 1);
  return `# Trace\n\n${[`${fence}jsonl`, ...lines, fence].join('\n')}`;
}

function longestRun(line: string): number {
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
