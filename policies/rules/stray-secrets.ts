// Finds secrets in a CLI's description, because its words and variables are stored in clear text in the files of each call.

import { createRedactor } from '../redact/create-redactor.ts';
import { looksSecret, secretsOf } from '../redact/environment.ts';

/** The indexes of the words that are secrets, by their form or by the flag before them. */
export function secretWords(words: readonly string[]): number[] {
  const isSecret = createTest();
  return words.flatMap((word, i) => {
    const [, joined, value] = /^--?([A-Za-z][\w-]*)=(.*)$/s.exec(word) ?? [];
    const flag = joined ?? /^--?([A-Za-z][\w-]*)$/.exec(words[i - 1] ?? '')?.[1] ?? '';
    return isOfFlag(flag, bare(value ?? word)) || isSecret(bare(word)) ? [i] : [];
  });
}

/** `--api-key-env MY_KEY` names where the key is, so it is not a secret. */
const isOfFlag = (flag: string, value: string): boolean =>
  flag !== '' && !/^-|^\$?[A-Z][A-Z0-9_]*$/.test(value) && looksSecret(flag.replaceAll('-', '_').toUpperCase(), value);

/** The names of the variables that are secrets, by name or by value. */
export function secretVariables(variables: Readonly<Record<string, string>>): string[] {
  const isSecret = createTest();
  return Object.entries(variables).flatMap(([name, value]) => {
    const plain = bare(value);
    const named = looksSecret(name.toUpperCase(), plain) || secretsOf({ [name]: plain }).length > 0;
    return plain !== '' && (named || isSecret(plain)) ? [name] : [];
  });
}

/** A value that fills a place is not a secret. */
const bare = (word: string): string => word.replaceAll(/\{\w+\}/g, '').trim();

function createTest(): (word: string) => boolean {
  const redactor = createRedactor({ env: {}, patterns: [] });
  return (word) => redactor.hits(word).length > 0;
}
