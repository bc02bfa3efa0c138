// Exports a distilled book as Markdown that is safe to view: no picture is fetched; HTML and unsafe links become text.

import { bookTitle, type DistilledBook, facts, shownSection, shownText } from './distilled-book.ts';

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

/** Whether the text contains anything that a viewer would fetch or run. */
const isWild = (text: string): boolean => WILD.test(text);

/** The destination of a link that a viewer may follow: the web, mail, a place in the document, or a relative path. */
const SAFE_DESTINATION = String.raw`\s*(?:\)|<?(?:https?:\/\/|mailto:|#|(?:\.{0,2}\/)?[\p{L}\p{N}_%~-][\p{L}\p{N}_.\/%~+,-]*(?=[)\s>#?])))`;

/** The end of the text of any other link, or of the name of a definition. */
const UNSAFE_LINK = String.raw`\](?=\((?!${SAFE_DESTINATION})|:(?!${SAFE_DESTINATION}))`;

const WILD = new RegExp(String.raw`<[a-z\/!?]|!\[|${UNSAFE_LINK}`, 'iu');

/** If viewers may differ about what is code (a block in a list, or at another depth), nothing is treated as code. */
export function tamed(text: string): string {
  const lines = text.split('\n');
  const blocks = blocksIn(lines);
  if (blocks === null) return lines.map((line) => line.replace(FENCE_MARKS, '$1\\$2').replace(TAMED, tame)).join('\n');
  const out: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    const keeps = paragraph.every((line) => spansAreSure(line));
    for (const line of paragraph) out.push(line.replace(keeps ? TAMED_BESIDE_CODE : TAMED, tame));
    paragraph = [];
  };
  lines.forEach((line, i) => {
    const isCode = blocks.code[i]!;
    if (isCode || line.trim() === '') flush();
    if (isCode) out.push(line);
    else paragraph.push(line);
  });
  flush();
  return [...out, ...(blocks.open === null ? [] : [blocks.open])].join('\n');
}

const tame = (found: string): string => {
  if (found === '![') return '[picture: ';
  return found === '<' || found === ']' ? `\\${found}` : found;
};

/** Matches what must be changed. Escaped characters and addresses in angle brackets match too, and remain as they are. */
const TAMED = new RegExp(
  String.raw`\\[^\n]|<(?:https?:\/\/|mailto:)[^\s<>]*>|<(?=[a-z\/!?])|!\[|${UNSAFE_LINK}`,
  'giu',
);

const SPAN = /(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/;

const TAMED_BESIDE_CODE = new RegExp(`${SPAN.source}|${TAMED.source}`, 'giu');

const SPANS_AND_ESCAPES = new RegExp(`${SPAN.source}|\\\\[^\\n]`, 'g');

const LONGEST_SURE = 4000;

/** Whether each code span in a line ends in that line, and in one cell of a table. */
function spansAreSure(line: string): boolean {
  if (!line.includes('`')) return true;
  if (line.length > LONGEST_SURE) return false;
  const rest = line.replace(SPANS_AND_ESCAPES, (found) => (found.startsWith('`') && found.includes('|') ? '`' : ''));
  return !rest.includes('`');
}

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;

/** A fence that follows the marks of a list or a quote, or that is indented deeply. */
const FENCE_MARKS = /^([\s>*+\-\d.)]*)(`{3,}|~{3,})/;

/**
 * `open`: the fence that closes the last block, if the model did not close it.
 * @returns null if a viewer may read the blocks differently.
 */
function blocksIn(lines: readonly string[]): { code: boolean[]; open: string | null } | null {
  const code: boolean[] = [];
  let open: { indent: number; marks: string } | null = null;
  for (const line of lines) {
    const fence = FENCE.exec(line);
    const isStray = fence === null && FENCE_MARKS.test(line);
    if (open === null) {
      if (isStray) return null;
      if (fence !== null) open = { indent: fence[1]!.length, marks: fence[2]! };
      code.push(fence !== null);
      continue;
    }
    code.push(true);
    if (open.indent > 0 && (isStray || (line.trim() !== '' && line.search(/[^ ]/) < open.indent))) return null;
    const bare = line.trim();
    const closes = fence !== null && bare === fence[2] && bare.startsWith(open.marks);
    if (closes) open = null;
  }
  return { code, open: open?.marks ?? null };
}
