// One class of tokens: a bounded regular expression, what must stand around it, what stands for it, and its proofs.

/** What the caller knows to be volatile in this text. */
export interface ScanContext {
  taskId?: string;
  prompt?: string;
}

/** A place in a text where a token begins, and what precedes it. */
export interface TokenPlace {
  text: string;
  at: number;
  /** The end of the word, or of the words joined by `-` and `.`, that begins here. */
  unitEnd: number;
  /** The two words before; empty where something else precedes. */
  last: string;
  older: string;
  /** The sign before, quotes aside; empty = a word or a token, `START` = nothing. */
  lead: string;
  /** White space is between that sign and this place. */
  spaced: boolean;
  /** The quote that opens here, or empty. */
  quote: string;
  context: ScanContext;
}

/** The lead of a text's first token: no sign is white space. */
export const START = '\n';

export interface TokenClass {
  name: string;
  /** Into the normal form goes what precedes a placeholder, and a code or a wait; any other placeholder vanishes. */
  put: string | ((piece: string, place: TokenPlace) => string);
  /** The text is never shown: it is a secret, or may be one. */
  isSecret?: true;
  /** The characters that it begins with: `WORD` for any letter or digit. */
  begins: string;
  /** What must be in the visible text around it, of `/:@.=~`; `0` = a digit, `7` = seven characters, `L` = a label, `"` = a quote before it, `T` = a known task, `U` = a figure with a unit. */
  needs?: string;
  /** Tried at this place only; each repeat has a bound. Null = the whole unit. */
  is: string | null;
  flags?: 'iy';
  /** The expression must end where the unit ends. */
  whole?: true;
  /** Tried before the expression: the words before, and the unit. */
  given?: (place: TokenPlace) => boolean;
  /** Tried after it: what an expression cannot say about the piece. */
  when?: (piece: string, place: TokenPlace, end: number) => boolean;
  /** In place of an expression, where only the caller knows what to look for: the end, or 0. */
  find?: (place: TokenPlace) => number;
  /** Texts with a token of the class, and their normal forms. */
  masks: readonly Example[];
  /** Texts that resemble one, with their normal forms. */
  keeps?: readonly Example[];
}

type Example = readonly [text: string, normal: string];

/** The token itself stays. */
export const keep = (piece: string): string => piece.toLowerCase();

/** A set of words, in either case. */
export function oneOf(words: string): { test: (word: string) => boolean } {
  const set = new Set(words.split(' '));
  return { test: (word) => set.has(word.toLowerCase()) };
}
