// One kind of volatile token: how it is found in a text, another of its kind, and where it would stand in a text without one.

import type { Random } from '../../random.ts';

export interface TokenKind {
  name: string;
  /** Finds it, globally; the text that it takes is replaced as a whole. */
  find: RegExp;
  /** Another one in the same form; `old` is '' where there was none. */
  make: (old: string, random: Random) => string;
  /** Sentences with `*` for the token, as the CLIs and services write them behind an error; none where it is only changed. */
  planted: readonly string[];
}
