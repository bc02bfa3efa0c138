// Phrases that a project looks for: plain words and `*`, found in linear time whatever the phrase and the text are.

import type { Wording } from './rule.ts';

/**
 * In any case of letters; white space stands for any run of it, and `*` for any text within a line, also for none.
 * A phrase begins and ends where words do, save where a `*` touches it: `throttl*` is found in `throttled`.
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

/** Why nothing can be looked for with it, or null. */
export const phraseMistake = (phrase: string): string | null =>
  /[\p{L}\p{N}]/u.test(phrase) ? null : 'has no word in it; write what is said, with * for what changes';

/** What stands between two stars. */
interface Piece {
  text: string;
  /** It begins, or ends, where a word does. */
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

/** One text twice, of equal length: with a blank for each run of white space, and with a line's end where the run has one. */
interface Page {
  flat: string;
  lines: string;
}

function pageOf(text: string): Page {
  const lines = text.toLowerCase().replace(/\s+/g, (run) => (/[\n\r]/.test(run) ? '\n' : ' '));
  return { lines, flat: lines.replaceAll('\n', ' ') };
}

/**
 * Each piece is put at the first place after the one before it. Where a line ends between two, no earlier place of the
 * first can do, so it moves on past that end: no piece ever moves back, which is what keeps the time linear.
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

/** -1 where it stands nowhere from there on. */
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
