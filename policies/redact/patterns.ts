// Compiles and applies the users' own redaction patterns.

import type { Hit } from './finder.ts';

interface Patterns {
  matches(text: string): boolean;
  redact(text: string): string;
  /** Where the patterns match, one pattern after the other. Text that was redacted before is excluded. */
  hits(text: string): Hit[];
  /** The number of the pattern that was tried last, from 1; null if there is none. */
  tried(): number | null;
}

const KIND = 'pattern';

/** @throws a `SyntaxError` that names the pattern, if a pattern is not a regular expression. */
export function compilePatterns(sources: readonly string[]): Patterns {
  // A placeholder is matched first and put back, so that no pattern can match a part of one.
  const compiled = sources.map(
    (source, i) => new RegExp(String.raw`\[REDACTED:[^\]\s]{1,80}\]|(?:${checked(source, i)})`, 'g'),
  );
  let tried: number | null = null;
  return {
    matches: (text) =>
      compiled.some((pattern, i) => {
        tried = i + 1;
        return text.search(pattern) >= 0;
      }),
    redact: (text) =>
      compiled.reduce((rest, pattern, i) => {
        tried = i + 1;
        return rest.replace(pattern, put);
      }, text),
    hits: (text) =>
      compiled.flatMap((pattern, i) => {
        tried = i + 1;
        return [...text.matchAll(pattern)].flatMap(({ 0: found, index: from }) =>
          put(found) === found ? [] : [{ from, to: from + found.length, kind: KIND }],
        );
      }),
    tried: () => tried,
  };
}

export function patternMistake(source: string): string | null {
  try {
    new RegExp(source).test('');
    return null;
  } catch (error) {
    return `is not a regular expression (${(error as Error).message.replace(/^.*\/[a-z]*: /s, '')})`;
  }
}

const put = (found: string): string => (found === '' || found.startsWith('[REDACTED:') ? found : `[REDACTED:${KIND}]`);

function checked(source: string, index: number): string {
  try {
    new RegExp(source);
    return source;
  } catch (error) {
    throw new SyntaxError(`redaction pattern ${index + 1} is not a regular expression: ${source}`, { cause: error });
  }
}
