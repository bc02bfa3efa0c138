// Exports a distilled book as one Markdown file: YAML front matter, the sections in order, then the trace.

import type { DistilledBook } from '../section.ts';
import { bookTitle, facts } from './book-facts.ts';
import { shownSection, shownText } from './shown-text.ts';
import { isWild, tamed } from './tame-markdown.ts';

export function asMarkdown(distilled: DistilledBook): string {
  const { sections, trace } = distilled;
  // A code block that one section leaves open changes what is code in the next. So either all sections are changed or none.
  const wild = sections.some(({ title, text }) => isWild(title) || isWild(text));
  const safe = wild ? tamed : (text: string) => text;
  const parts = sections.map((section) => {
    const { heading, text } = shownSection(section);
    return heading === null ? safe(text) : `## ${safe(heading)}\n\n${safe(text)}`;
  });
  return `${[frontMatter(distilled), ...parts, ...(trace === null ? [] : [appendix(trace)])].join('\n\n').trimEnd()}\n`;
}

/** A JSON string is also a YAML string, whatever it contains. */
function frontMatter(distilled: DistilledBook): string {
  const rows = [['title', bookTitle(distilled)] as const, ...facts(distilled)];
  return ['---', ...rows.map(([name, value]) => `${name.replaceAll(' ', '_')}: ${JSON.stringify(value)}`), '---'].join(
    '\n',
  );
}

/** Puts the lines in a block whose fence is longer than any run of fence characters in them. */
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
