// Replaces a text on which a user's pattern took too long: the text is not shown at all.

/**
 * Runs code that may never end; `too_long` when its time is over.
 * @param chars the number of characters to search.
 */
export type Bounded = <T>(work: () => T, chars: number) => { how: 'done'; value: T } | { how: 'too_long' };

export const UNBOUNDED: Bounded = (work) => ({ how: 'done', value: work() });

/** A JSON line remains JSON, and a line remains a line. */
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
