// Defines a redactor, redacts the texts of a value with one, and words what it withheld.

import type { Hit } from './finder.ts';

export interface Redactor {
  /**
   * Replaces each secret with `[REDACTED:<kind>]`. Valid JSON or JSONL remains valid. Takes linear time (as far as the users'
   * patterns do). A text without a secret is returned as the same string. A text on which a pattern took too long is withheld
   * completely.
   */
  redact(text: string): string;
  /** The same for secrets that begin before `until`. `taken`: the end of the processed text, maybe beyond `until`. */
  redactHead(text: string, until: number): { redacted: string; taken: number };
  /** Every secret in a text, in order, without overlaps; none of a user's pattern that took too long. */
  hits(text: string): Hit[];
  /** For each withheld text, the number of the pattern that took too long, from 1. */
  readonly withheld: readonly number[];
}

/**
 * Redacts each text of a value separately, so that its structure remains, even if a secret spans several texts.
 * @param value a JSON value. We define the names of its fields, so they remain.
 */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, redact)]));
}

/** Runs code that may never end; `too_long` when its time is over. @param chars the number of characters to search. */
export type Bounded = <T>(work: () => T, chars: number) => { how: 'done'; value: T } | { how: 'stopped' };

export const UNBOUNDED: Bounded = (work) => ({ how: 'done', value: work() });

/** Replaces a text on which a user's pattern took too long. A JSON line remains JSON, and a line a line. */
export function withheldText(text: string, pattern: number): string {
  const said = `[withheld: redaction pattern ${pattern} took too long]`;
  const end = text.endsWith('\n') ? '\n' : '';
  return (/^\s*[[{]/.test(text) ? JSON.stringify(said) : said) + end;
}

/** For the authors of the patterns: each pattern that took too long, once. */
export const slowPatterns = (withheld: readonly number[]): string[] =>
  [...new Set(withheld)]
    .sort((a, b) => a - b)
    .map((pattern) => `${timedOut(pattern)} and what it was tried on is withheld; ${WHAT_TO_DO}`);

/** For a prompt: half of it would cost as much as the whole. */
export const slowOnPrompt = (withheld: readonly number[]): string =>
  `${timedOut(withheld[0] ?? 1)} on what is to be sent, so nothing is sent; ${WHAT_TO_DO}`;

const timedOut = (pattern: number): string =>
  `redaction pattern ${pattern} (security.redaction_patterns[${pattern - 1}]) took too long`;

const WHAT_TO_DO = 'write it without repetitions within repetitions, such as (a+)+';
