// Defines a redactor: it redacts secrets in text, and reports their places.

import type { Hit } from './finder.ts';

export interface Redactor {
  /**
   * Replaces each secret with `[REDACTED:<kind>]`. Valid JSON or JSONL remains valid. Takes linear time (as far as the users'
   * patterns do). A text without a secret is returned as the same string. A text on which a pattern took too long is withheld
   * completely.
   */
  redact(text: string): string;
  /**
   * The same for the beginning of a text: redacts secrets that begin before `until`. `taken` is the end of the processed text,
   * which is beyond `until` if a secret spans it.
   */
  redactHead(text: string, until: number): { redacted: string; taken: number };
  /**
   * Returns every secret in a text, in order and without overlaps. If a user's pattern took too long, the matches of the patterns
   * are omitted.
   */
  hits(text: string): Hit[];
  /** For each withheld text, the number of the pattern that took too long, from 1. */
  readonly withheld: readonly number[];
}
