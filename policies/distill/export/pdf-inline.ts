// Converts a line of Markdown to PDF runs: bold, italic, code, and links that a reader may click. It fetches nothing.

import type { Typesetter } from './font-runs.ts';
import {
  inlineTokens,
  isSafeAddress,
  pictureWords,
  shownAddress,
  type Token,
  unescaped,
  withoutTags,
} from './markdown-tokens.ts';

export interface PdfRun {
  text: string;
  font: string;
  bold?: true;
  italics?: true;
  decoration?: 'lineThrough';
  background?: string;
  color?: string;
  /** `https:`, `http:` or `mailto:`. It is opened only when the reader clicks it. */
  link?: string;
}

type Style = Omit<PdfRun, 'text' | 'font'>;

/** The context of a text's runs: the typesetter, and the name of the section. */
export interface PdfPlace {
  typesetter: Typesetter;
  where: string;
}

export function inlineRuns(text: string, place: PdfPlace, style: Style = {}): PdfRun[] {
  return runsOf(inlineTokens(text), place, style);
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
      return setCode(token.text, place, { ...style, background: CODE_BACKGROUND });
    case 'br':
      return set('\n', place, style);
    case 'link':
      return isSafeAddress(token.href) ? linkRuns(token, place, style) : within({});
    case 'image':
      return set(pictureWords(token.text), place, { ...style, color: FAINT });
    case 'html':
      return set(/^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : withoutTags(token.raw), place, style);
    default:
      return token.tokens === undefined ? set(unescaped(token.text ?? token.raw), place, style) : within({});
  }
}

function linkRuns(token: Token, place: PdfPlace, style: Style): PdfRun[] {
  const link = token.href as string;
  return [
    ...runsOf(token.tokens ?? [], place, { ...style, link, color: LINK }),
    ...set(shownAddress(link, token.text), place, { ...style, link, color: FAINT }),
  ];
}

const LINK = '#1a4f8b';
export const CODE_BACKGROUND = '#eeeeee';
export const FAINT = '#555555';

export const set = (text: string, { typesetter, where }: PdfPlace, style: Style = {}): PdfRun[] =>
  typesetter.runs(text, where).map((run) => ({ ...run, ...style }));

/** Sets text in the code font, in which columns stay aligned. */
export const setCode = (text: string, { typesetter, where }: PdfPlace, style: Style = {}): PdfRun[] =>
  typesetter.codeRuns(text, where).map((run) => ({ ...run, ...style }));
