// The words of a line of Markdown as runs of a PDF: bold, italic, code, links as text. Nothing is fetched and nothing is opened.

import { Lexer, type Tokens } from 'marked';
import type { Typesetter } from './font-runs.ts';

type Token = Tokens.Generic;

export interface PdfRun {
  text: string;
  font: string;
  bold?: true;
  italics?: true;
  decoration?: 'lineThrough';
  background?: string;
  color?: string;
}

type Style = Omit<PdfRun, 'text' | 'font'>;

/** Where the runs of a text belong: who sets them, and the section they are of. */
export interface PdfPlace {
  typesetter: Typesetter;
  where: string;
}

/** Longer ones are set as they stand: what emphasis costs grows with the square of its text. */
const MAX_INLINE_CHARS = 10_000;

export function inlineRuns(text: string, place: PdfPlace, style: Style = {}): PdfRun[] {
  return runsOf(tokensOf(text), place, style);
}

function tokensOf(text: string): Token[] {
  const plain: Token[] = [{ type: 'text', raw: text, text }];
  if (text.length > MAX_INLINE_CHARS) return plain;
  try {
    return Lexer.lexInline(text, { gfm: true });
  } catch {
    // A thousand marks within each other are more than its stack holds.
    return plain;
  }
}

const runsOf = (tokens: readonly Token[], place: PdfPlace, style: Style): PdfRun[] =>
  tokens.flatMap((token) => runsOfToken(token, place, style));

function runsOfToken(token: Token, place: PdfPlace, style: Style): PdfRun[] {
  const within = (more: Style) => runsOf(token.tokens ?? [], place, { ...style, ...more });
  switch (token.type) {
    case 'strong':
      return within({ bold: true });
    case 'em':
      return within({ italics: true });
    case 'del':
      return within({ decoration: 'lineThrough' });
    case 'codespan':
      return set(token.text, place, { ...style, background: CODE_BACKGROUND });
    case 'br':
      return set('\n', place, style);
    case 'link':
      return [...within({}), ...set(shownAddress(token.href, token.text), place, { ...style, color: FAINT })];
    case 'image':
      return set(token.text.trim() === '' ? '[picture]' : `[picture: ${token.text}]`, place, {
        ...style,
        color: FAINT,
      });
    case 'html':
      return set(/^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : token.raw.replace(TAGS, ''), place, style);
    default:
      return token.tokens === undefined ? set(unescaped(token.text ?? token.raw), place, style) : within({});
  }
}

export const CODE_BACKGROUND = '#eeeeee';
export const FAINT = '#555555';

const TAGS = /<[^>]*>/g;

/** An address that a person may follow by hand; one that would run or read something is not even shown. */
function shownAddress(href: string, text: string): string {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return '';
  return text.includes(href) || text === href.replace(/^mailto:/i, '') ? '' : ` (${href.slice(0, 500)})`;
}

const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Text as it stands. */
export const set = (text: string, { typesetter, where }: PdfPlace, style: Style = {}): PdfRun[] =>
  typesetter.runs(text, where).map((run) => ({ ...run, ...style }));
