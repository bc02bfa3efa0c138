// Parses a model's Markdown into tokens, within limits: text too nested or too long for the parser becomes plain text.

import { Lexer, type Tokens } from 'marked';

export type Token = Tokens.Generic;
export type { Tokens } from 'marked';

/** Deeper blocks are printed as they were written. */
export const MAX_DEPTH = 8;
/** Each quote mark makes the parser read the whole rest of the text again. */
const DEEP_QUOTES = /^(?:[ \t]{0,3}>){9,}/gm;

/** Returns the blocks of a section, without the tokens inside their lines. */
export function blockTokens(markdown: string): Token[] {
  try {
    return new Lexer({ gfm: true }).blockTokens(markdown.replace(DEEP_QUOTES, '> '.repeat(MAX_DEPTH)), []);
  } catch {
    // A thousand nested quotes overflow the parser's stack.
    return [{ type: 'code', raw: markdown, text: markdown }];
  }
}

/** The cost of emphasis grows with the square of the text length. */
const MAX_INLINE_CHARS = 10_000;

export function inlineTokens(text: string): Token[] {
  const plain: Token[] = [{ type: 'text', raw: text, text }];
  if (text.length > MAX_INLINE_CHARS) return plain;
  try {
    return Lexer.lexInline(text, { gfm: true });
  } catch {
    return plain;
  }
}

/** Returns the text of an HTML block without its tags and comments. */
export function withoutTags(html: string): string {
  const lastComment = html.lastIndexOf('-->');
  let kept = '';
  let at = 0;
  // This takes one pass. A regular expression would scan to the end of the text for each tag that is not closed.
  for (;;) {
    const begin = html.indexOf('<', at);
    const isComment = html.startsWith('<!--', begin) && begin + '<!--'.length <= lastComment;
    const mark = isComment ? '-->' : '>';
    const end = begin < 0 ? -1 : html.indexOf(mark, begin + (isComment ? '<!--'.length : 1));
    if (end < 0) return (kept + html.slice(at)).trim();
    kept += html.slice(at, begin);
    at = end + mark.length;
  }
}

/** Whether a reader may follow the address. An address that would run or read something is not even shown. */
export const isSafeAddress = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href);

/** Returns the address in brackets, to follow the text of its link; '' if the text is the address, or the address is not safe. */
export function shownAddress(href: string, text: string): string {
  if (!isSafeAddress(href)) return '';
  return text.includes(href) || text === href.replace(/^mailto:/i, '') ? '' : ` (${href.slice(0, 500)})`;
}

export const pictureWords = (description: string): string =>
  description.trim() === '' ? '[picture]' : `[picture: ${description}]`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
