// Converts a chapter's XHTML to plain text: one line per paragraph, Markdown marks for structure, and only readable parts.

import { readMarkup } from './markup.ts';

/** Passes the text on block by block, as soon as a block ends. */
export function readChapter(say: (block: string) => void) {
  let [line, pre, skipped, quotes] = ['', 0, 0, 0];
  // Stored separately, because reading the end of a growing line copies the line.
  let endsInSpace = false;
  const lists: { next: number | null }[] = [];
  let mark = '';
  const flush = () => {
    const text = pre > 0 ? line.trimEnd() : line.replace(/[ \t]*\n[ \t]*/g, '\n').trim();
    [line, endsInSpace] = ['', false];
    if (text.replace(MARKS, '').trim() === '') return;
    const depth = mark === '' || mark.startsWith('#') ? 0 : Math.max(0, Math.min(lists.length, MAX_DEPTH) - 1);
    const quoted = '> '.repeat(Math.min(quotes, MAX_DEPTH));
    say(`${'  '.repeat(depth)}${mark}${text}`.replace(/^/gm, quoted));
    mark = '';
  };
  const put = (piece: string) => {
    if (piece === '') return;
    line += piece;
    endsInSpace = /\s/.test(piece.at(-1)!);
    if (line.length > LONGEST_LINE && (endsInSpace || line.length > 2 * LONGEST_LINE)) flush();
  };
  return readMarkup('page', {
    open(name, attributes) {
      if (UNREAD.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (BLOCKS.has(name)) flush();
      if (name === 'pre') pre += 1;
      if (name === 'blockquote') quotes += 1;
      if (name === 'ul' || name === 'ol') lists.push({ next: name === 'ol' ? 1 : null });
      if (name === 'li') mark = itemMark(lists.at(-1));
      if (/^h[1-6]$/.test(name)) mark = `${'#'.repeat(Number(name[1]))} `;
      if (name === 'br') put('\n');
      if (name === 'img' && attributes.alt?.trim()) put(`[picture: ${attributes.alt.replace(/\s+/g, ' ').trim()}]`);
    },
    text(text) {
      if (skipped > 0) return;
      const shown = text.replaceAll('\u00ad', '').replaceAll('\u00a0', ' ');
      const joined = pre > 0 ? shown : shown.replace(/\s+/g, ' ');
      put(endsInSpace && pre === 0 ? joined.replace(/^ /, '') : joined);
    },
    close(name) {
      if (UNREAD.has(name)) skipped = Math.max(0, skipped - 1);
      if (skipped > 0) return;
      if (name === 'td' || name === 'th') put(' | ');
      if (BLOCKS.has(name)) flush();
      if (name === 'pre') pre = Math.max(0, pre - 1);
      if (name === 'blockquote') quotes = Math.max(0, quotes - 1);
      if (name === 'ul' || name === 'ol') lists.pop();
      if (name === 'html') flush();
    },
  });
}

const MAX_DEPTH = 8;

/** In characters; a longer line is passed on in pieces. */
const LONGEST_LINE = 64 * 1024;

/** A table row with nothing else is empty and is omitted. */
const MARKS = /[|\s]+/g;

const UNREAD: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'svg', 'math', 'audio', 'video']);

const BLOCKS: ReadonlySet<string> = new Set([
  ...['p', 'div', 'section', 'article', 'aside', 'header', 'footer', 'main', 'nav', 'figure', 'figcaption', 'body'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'blockquote', 'pre', 'hr', 'table', 'tr'],
]);

function itemMark(list: { next: number | null } | undefined): string {
  if (list === undefined || list.next === null) return '- ';
  list.next += 1;
  return `${list.next - 1}. `;
}
