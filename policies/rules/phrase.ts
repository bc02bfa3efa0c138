// Compiles a project's phrases, made of plain words and `*`. The search takes linear time for any phrase and text.

import type { Wording } from './rule.ts';

/**
 * Matches in any letter case. White space matches any run of white space. `*` matches any text within a line, or nothing. A
 * phrase begins and ends at word boundaries, except where a `*` touches it: `throttl*` matches `throttled`.
 */
export function compilePhrases(phrases: readonly string[]): Wording {
  const compiled = phrases.map(piecesOf);
  return {
    test(text) {
      const page = pageOf(text);
      return compiled.some((pieces) => isFound(pieces, page));
    },
    toString: () => phrases.map((phrase) => `"${phrase}"`).join(' or '),
  };
}

/** Returns why the phrase cannot be searched for, or null. */
export const phraseMistake = (phrase: string): string | null =>
  /[\p{L}\p{N}]/u.test(phrase) ? null : 'has no word in it; write what is said, with * for what changes';

/** The text between two stars. */
interface Piece {
  text: string;
  /** It begins, or ends, at a word boundary. */
  opens: boolean;
  closes: boolean;
}

function piecesOf(phrase: string): Piece[] {
  const parts = phrase.toLowerCase().replace(/\s+/g, ' ').split('*');
  return parts
    .map((part, i) => ({
      text: part.trim(),
      opens: i === 0 || part.startsWith(' '),
      closes: i === parts.length - 1 || part.endsWith(' '),
    }))
    .filter(({ text }) => text !== '');
}

/** One text twice, of equal length. A run of white space is one blank in `flat`, or a line end in `lines`. */
interface Page {
  flat: string;
  lines: string;
}

function pageOf(text: string): Page {
  const lines = text.toLowerCase().replace(/\s+/g, (run) => (/[\n\r]/.test(run) ? '\n' : ' '));
  return { lines, flat: lines.replaceAll('\n', ' ') };
}

/**
 * Places each piece at the first position after the previous one. If a line ends between two pieces, no earlier position of the
 * first piece is possible, so it moves past that line end. No piece ever moves back, which keeps the time linear.
 */
function isFound(pieces: readonly Piece[], { flat, lines }: Page): boolean {
  const from = pieces.map(() => 0);
  const ends = pieces.map(() => 0);
  for (let at = 0; at < pieces.length; ) {
    const before = at === 0 ? 0 : ends[at - 1]!;
    const place = placeOf(pieces[at]!, flat, Math.max(from[at]!, before));
    if (place === -1) return false;
    from[at] = place;
    ends[at] = place + pieces[at]!.text.length;
    const lineEnd = at === 0 ? -1 : lines.indexOf('\n', before);
    if (lineEnd === -1 || lineEnd > place) at += 1;
    else {
      at -= 1;
      from[at] = lineEnd - pieces[at]!.text.length + 1;
    }
  }
  return pieces.length > 0;
}

/** Returns -1 if the piece does not occur from there on. */
function placeOf({ text, opens, closes }: Piece, flat: string, from: number): number {
  for (let at = flat.indexOf(text, from); at !== -1; at = flat.indexOf(text, at + 1)) {
    const end = at + text.length;
    if (!(opens && isWithinWord(flat, at)) && !(closes && isWithinWord(flat, end))) return at;
  }
  return -1;
}

const isWithinWord = (text: string, at: number): boolean =>
  at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!);

const WORD = /[\p{L}\p{N}_]/u;
