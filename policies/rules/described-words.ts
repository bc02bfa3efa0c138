// Fills the places in a described CLI's words with values, and finds secrets in its description.

import { createRedactor } from '../redact/create-redactor.ts';
import { looksSecret, secretsOf } from '../redact/environment.ts';

export const PLACES = [
  'model',
  'session',
  'new_session',
  'max_turns',
  'cwd',
  'prompt_file',
  'answer_file',
  'access',
  'retries',
] as const;

type Place = (typeof PLACES)[number];

/** The value of each place. A list becomes separate words, and only if the place is a whole word. */
export type PlaceValues = Readonly<Partial<Record<Place, string | readonly string[]>>>;

const PLACE = /\{([a-z_]+)\}/g;

/** All places in a word, known or not. */
export const placesIn = (word: string): string[] => [...word.matchAll(PLACE)].map(([, name]) => name!);

/** Omits a list of words if one of its places has no value. */
export const fillWords = (words: readonly (string | readonly string[])[], values: PlaceValues): string[] =>
  words.flatMap((word) => {
    if (typeof word === 'string') return fillWord(word, values);
    const isWhole = word.every((each) => placesIn(each).every((place) => values[place as Place] !== undefined));
    return isWhole ? word.flatMap((each) => fillWord(each, values)) : [];
  });

function fillWord(word: string, values: PlaceValues): readonly string[] {
  const [only] = placesIn(word);
  const whole = only !== undefined && word === `{${only}}` ? values[only as Place] : undefined;
  if (Array.isArray(whole)) return whole;
  return [word.replace(PLACE, (_, name: Place) => String(values[name] ?? ''))];
}

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
