// One class of tokens: where it may begin, what it reads, what stands for it, and the examples that prove it.

import type { Cursor } from '../scan/cursor.ts';

export interface TokenClass {
  name: string;
  /**
   * What it is to a reader of the trace. Into the normal form goes a code, the length of a wait, and what stands before a
   * placeholder; a placeholder itself leaves nothing there, since even that something volatile stood there varies.
   */
  put: string | ((cursor: Cursor, at: number, end: number) => string);
  /** What stood there is shown to nobody: a secret, or what nothing tells to be none. */
  isSecret?: true;
  /** Where it may begin: at a word, or at one of these signs. `word` first where both. */
  begins: string;
  /** One or two letters with which such a word begins, where they are few. */
  first?: readonly string[];
  /** Of `HAS`: what the word or the run of text around it must have; of several, one is enough. */
  needs: number | readonly number[];
  /** The offset past the token that begins at `at`, or 0. Reads each character at most once for each token. */
  scan: (cursor: Cursor, at: number) => number;
  /** Text and its normal form: these are the tests of the class. */
  examples: readonly (readonly [text: string, normal: string])[];
}

/** The token itself stays. */
export const keep = (cursor: Cursor, at: number, end: number): string => cursor.text.slice(at, end).toLowerCase();
