// Fills the places in the words of a described CLI with values, and omits words whose places have none.

export const PLACES = [
  'model',
  'session',
  'new_session',
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
