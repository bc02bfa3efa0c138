// Reports what a digest omitted, by name and size, so that an answer to a part is not mistaken for one to the whole.

import { figure } from '../text/display.ts';
import type { PartKind, PartSize } from './part.ts';

export interface Omission {
  /** As users know it: `attachment docs/a.md`, `request`, `answer of codex_brief`. */
  what: string;
  /** How many of its characters are in the prompt, and how many it has. */
  kept: number;
  chars: number;
}

/** The list is part of the record of each call. */
const MOST_LISTED = 50;
const MOST_NAME_CHARS = 200;

/** Returns the largest omissions first; beyond 50, the others are combined into one entry. */
export function omissionsOf(parts: readonly PartSize[]): Omission[] {
  const all = parts
    .filter(({ kept, chars }) => kept < chars)
    .map(({ kind, name, kept, chars }) => ({ what: short(WORDS[kind](name)), kept, chars }))
    .sort((a, b) => b.chars - b.kept - (a.chars - a.kept));
  const rest = all.slice(MOST_LISTED - 1);
  return rest.length <= 1 ? all : [...all.slice(0, MOST_LISTED - 1), together(rest)];
}

/** Keeps the end of a long path, because the file name is there. */
const short = (what: string): string =>
  what.length <= MOST_NAME_CHARS ? what : `${what.slice(0, 40)}...${what.slice(43 - MOST_NAME_CHARS)}`;

const together = (rest: readonly Omission[]): Omission => ({
  what: `${rest.length} more`,
  kept: rest.reduce((sum, { kept }) => sum + kept, 0),
  chars: rest.reduce((sum, { chars }) => sum + chars, 0),
});

const itself = (name: string): string => name;

const WORDS = {
  rules: itself,
  reading: itself,
  role: itself,
  goal: itself,
  request: itself,
  non_goals: itself,
  decisions: itself,
  context: itself,
  changes: itself,
  files: itself,
  attachment: (name) => `attachment ${name}`,
  answer: itself,
  scope: () => 'list of the allowed scope',
  prohibited: () => 'list of what must not be changed',
  acceptance: () => 'list of acceptance commands',
  form: itself,
} as const satisfies Record<PartKind, (name: string) => string>;

/** Formats one entry: `attachment docs/a.md: 5,120 of 29,312 characters`. */
export const omissionWords = ({ what, kept, chars }: Omission): string =>
  `${what}: ${figure(kept)} of ${figure(chars)} characters`;

/** One sentence, which counts the entries that it does not name; null if nothing was omitted. @param named how many. */
export function omissionSentence(all: readonly Omission[], named: number): string | null {
  if (all.length === 0) return null;
  const shown = all.length <= named + 1 ? all : [...all.slice(0, named), together(all.slice(named))];
  return `left out of the prompt: ${shown.map(omissionWords).join('; ')}`;
}

/** How many parts a warning names. */
export const NAMED_IN_WARNING = 8;
