// Exports a distilled book as one text file without Markdown: a header, the titled sections, then the trace.

import { oneLine } from '../../text/display.ts';
import { bookTitle, type DistilledBook, facts, shownSection, shownText } from './distilled-book.ts';
import {
  blockTokens,
  inlineTokens,
  MAX_DEPTH,
  pictureWords,
  shownAddress,
  type Token,
  type Tokens,
  unescaped,
  withoutTags,
} from './markdown-tokens.ts';

export function asPlainText(distilled: DistilledBook): string {
  const { sections, trace } = distilled;
  const rows = facts(distilled);
  const widest = Math.max(...rows.map(([name]) => name.length));
  const header = [
    `${underlined(bookTitle(distilled), '=')}\n`,
    ...rows.map(([name, value]) => `${`${name}:`.padEnd(widest + 2)}${value}`),
  ].join('\n');
  const parts = sections.map((section) => {
    const { heading, text } = shownSection(section);
    const plain = blocksAsText(blockTokens(text), 0);
    return heading === null ? plain : `${underlined(heading, '-')}\n\n${plain}`;
  });
  const appendix = trace === null ? [] : [[`${underlined('Trace', '=')}\n`, ...trace.map(shownText)].join('\n')];
  return `${[header, ...parts, ...appendix].join('\n\n\n').trimEnd()}\n`;
}

const underlined = (title: string, sign: string): string => `${title}\n${sign.repeat(Math.min(title.length, 72))}`;

function blocksAsText(tokens: readonly Token[], depth: number): string {
  return tokens
    .map((token) => blockAsText(token, depth))
    .filter((text) => text !== null && text.trim() !== '')
    .join('\n\n');
}

/** Returns null if the block has no text. */
function blockAsText(token: Token, depth: number): string | null {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'heading':
      return underlined(inlineAsText(token.text).trim(), token.depth === 1 ? '=' : '-');
    case 'list':
      return listAsText(token as Tokens.List, depth + 1);
    case 'blockquote':
      return indented(blocksAsText(token.tokens ?? [], depth + 1), '  | ');
    case 'code':
      return indented(token.text, '    ');
    case 'table':
      return tableAsText(token as Tokens.Table);
    case 'hr':
      return '* * *';
    case 'html':
      return withoutTags(token.text);
    case 'space':
    case 'def':
      return null;
    default:
      return inlineAsText(token.text ?? token.raw).trim();
  }
}

function listAsText({ ordered, start, loose, items }: Tokens.List, depth: number): string {
  const from = typeof start === 'number' ? start : 1;
  const entries = items.map(({ tokens, task, checked }, i) => {
    const mark = task ? (checked ? '[x] ' : '[ ] ') : ordered ? `${from + i}. ` : '- ';
    const parts = (tokens as Token[]).filter(({ type }) => type !== 'checkbox');
    const text = parts.map((token) => blockAsText(token, depth)).filter((part) => part !== null);
    return `${mark}${indented(text.join(loose ? '\n\n' : '\n'), ' '.repeat(mark.length)).trimStart()}`;
  });
  return entries.join(loose ? '\n\n' : '\n');
}

/** Wider cells keep their text, and the alignment of their row is lost. */
const MAX_CELL = 60;

function tableAsText({ header, align, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((row) => header.map((_, i) => oneLine(inlineAsText(row[i]?.text ?? ''), 2000)));
  const widths = header.map((_, i) => Math.min(MAX_CELL, Math.max(...lines.map((cells) => cells[i]!.length))));
  const shown = lines.map((cells) =>
    cells
      .map((cell, i) => padded(cell, widths[i]!, align[i]))
      .join('  ')
      .trimEnd(),
  );
  return [shown[0], widths.map((width) => '-'.repeat(width)).join('  '), ...shown.slice(1)].join('\n');
}

function padded(text: string, width: number, align: 'center' | 'left' | 'right' | null | undefined): string {
  if (align === 'right') return text.padStart(width);
  return align === 'center' ? text.padStart(Math.floor((width + text.length) / 2)).padEnd(width) : text.padEnd(width);
}

const indented = (text: string, by: string): string =>
  text.replace(/^.*$/gm, (line) => (line === '' ? by.trimEnd() : by + line));

const inlineAsText = (text: string): string => inlineTokens(text).map(inlineTokenAsText).join('');

function inlineTokenAsText(token: Token): string {
  const within = (): string => (token.tokens ?? []).map(inlineTokenAsText).join('');
  switch (token.type) {
    case 'codespan':
      return token.text;
    case 'br':
      return '\n';
    case 'link':
      return `${within()}${shownAddress(token.href, token.text)}`;
    case 'image':
      return pictureWords(token.text);
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : withoutTags(token.raw);
    default:
      return token.tokens === undefined ? unescaped(token.text ?? token.raw) : within();
  }
}
