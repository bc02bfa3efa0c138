// Defines a class of tokens: a bounded regular expression, its required context, its replacement and its proofs.

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
  /** The two words before; empty if something else precedes. */
  last: string;
  older: string;
  /** The character before, without quotes; empty means a word or a token, `START` means nothing. */
  lead: string;
  /** White space is between that character and this place. */
  spaced: boolean;
  /** The quote that opens here, or empty. */
  quote: string;
  context: ScanContext;
}

/** The lead of a text's first token; white space never counts as the character before. */
export const START = '\n';

export interface TokenClass {
  name: string;
  /** The normal form keeps the text before a placeholder, and a code or a wait; any other placeholder is removed. */
  put: string | ((piece: string, place: TokenPlace) => string);
  /** The text is never shown: it is a secret, or may be one. */
  isSecret?: true;
  /** The characters that it begins with: `WORD` for any letter or digit. */
  begins: string;
  /**
   * What must be in the visible text around it, of `/:@.=~`; `0` is a digit, `7` is seven characters, `L` is a label. `"` is a
   * quote before it, `T` is a known task, `U` is a figure with a unit.
   */
  needs?: string;
  /** Tried at this place only; each repeat has a bound. null means the whole unit. */
  is: string | null;
  flags?: 'iy';
  /** The expression must end where the unit ends. */
  whole?: true;
  /** Tried before the expression: checks the words before, and the unit. */
  given?: (place: TokenPlace) => boolean;
  /** Tried after the expression: checks what an expression cannot check. */
  when?: (piece: string, place: TokenPlace, end: number) => boolean;
  /** Used instead of an expression, if only the caller knows what to find: returns the end, or 0. */
  find?: (place: TokenPlace) => number;
  /** Texts with a token of the class, and their normal forms. */
  masks: readonly Example[];
  /** Texts that resemble one, with their normal forms. */
  keeps?: readonly Example[];
}

type Example = readonly [text: string, normal: string];

/** Keeps the token itself. */
export const keep = (piece: string): string => piece.toLowerCase();

/** A set of words, in any letter case. */
export function oneOf(words: string): { test: (word: string) => boolean } {
  const set = new Set(words.split(' '));
  return { test: (word) => set.has(word.toLowerCase()) };
}
