// What a redactor does: takes secrets out of text, and says where they stand.

import type { Hit } from './finder.ts';

export interface Redactor {
  /**
   * Each secret becomes `[REDACTED:<kind>]`. What was valid JSON or JSONL stays valid. Linear in the text's length
   * (as far as the users' patterns are), and text without a secret comes back as the same string. One on which a
   * pattern took too long is withheld as a whole.
   */
  redact(text: string): string;
  /**
   * The same for the beginning of a text: secrets that begin before `until`. `taken` is how far the result reaches,
   * which is beyond `until` if a secret lies across it.
   */
  redactHead(text: string, until: number): { redacted: string; taken: number };
  /** Every secret in a text, in order, and none over another; what the users' patterns match is left out where one took too long. */
  hits(text: string): Hit[];
  /** For each text that was withheld, which pattern took too long, from 1. */
  readonly withheld: readonly number[];
}
