// A model's Markdown that a viewer cannot obey: pictures are named and not fetched, HTML is text, and so is a link that is not to the web or to mail. Blocks of code stay as they are.

/** Whether there is anything in it that a viewer would fetch or run. */
export const isWild = (text: string): boolean => WILD.test(text);

/** The destination of a link that a viewer may follow: of the web, of mail, within the document, or a relative path. */
const SAFE_DESTINATION = String.raw`\s*(?:\)|<?(?:https?:\/\/|mailto:|#|(?:\.{0,2}\/)?[\p{L}\p{N}_%~-][\p{L}\p{N}_.\/%~+,-]*(?=[)\s>#?])))`;
/** The end of the text of any other link, or of the name of a definition. */
const UNSAFE_LINK = String.raw`\](?=\((?!${SAFE_DESTINATION})|:(?!${SAFE_DESTINATION}))`;

const WILD = new RegExp(String.raw`<[a-z\/!?]|!\[|${UNSAFE_LINK}`, 'iu');

/** Where viewers may differ about what is code (a block in a list, or one of other depth), nothing is. */
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

/** What is escaped, and addresses in brackets, stay. */
const TAMED = new RegExp(
  String.raw`\\[^\n]|<(?:https?:\/\/|mailto:)[^\s<>]*>|<(?=[a-z\/!?])|!\[|${UNSAFE_LINK}`,
  'giu',
);
const SPAN = /(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/;
const TAMED_BESIDE_CODE = new RegExp(`${SPAN.source}|${TAMED.source}`, 'giu');
const SPANS_AND_ESCAPES = new RegExp(`${SPAN.source}|\\\\[^\\n]`, 'g');

const LONGEST_SURE = 4000;

/** Each piece of code in a line ends in that line, and in one cell of a table. */
function spansAreSure(line: string): boolean {
  if (!line.includes('`')) return true;
  if (line.length > LONGEST_SURE) return false;
  const rest = line.replace(SPANS_AND_ESCAPES, (found) => (found.startsWith('`') && found.includes('|') ? '`' : ''));
  return !rest.includes('`');
}

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
/** Behind the marks of a list or a quote, or deep. */
const FENCE_MARKS = /^([\s>*+\-\d.)]*)(`{3,}|~{3,})/;

/** `open`: the marks that close the last block, which the model did not. null where a viewer may read it otherwise. */
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
