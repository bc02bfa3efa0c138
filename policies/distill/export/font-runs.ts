// Chooses the font for each character of a text, replaces characters that no font has, and notes the replacements.

import { firstNames, oneLine } from '../../text/display.ts';

export interface FontCoverage {
  name: string;
  has(codePoint: number): boolean;
}

interface FontRun {
  text: string;
  font: string;
}

export interface Typesetter {
  /** @param where for users: `section 3 "Where I Lived"`. */
  runs(text: string, where: string): FontRun[];
  /** The same for code: the code font comes first. */
  codeRuns(text: string, where: string): FontRun[];
  /** One sentence for each thing that is not printed as it was written. */
  notes(): string[];
}

/** @param fonts in order of preference; the last one is also the code font. */
export function createTypesetter(fonts: readonly FontCoverage[]): Typesetter {
  const code = fonts.at(-1)!;
  const forCode = [code, ...fonts.slice(0, -1)];
  const replaced = new Map<string, string>();
  let rightToLeft: string | null = null;

  function coverage(order: readonly FontCoverage[]) {
    const fontOf = new Map<string, string | null>();
    /** Returns null if the character is invisible. `font` is '' for a space, which takes the font of its neighbour. */
    return (character: string, where: string): FontRun | null => {
      let font = fontOf.get(character);
      if (font === undefined) {
        font = /\s/.test(character) ? '' : (order.find((each) => each.has(character.codePointAt(0)!))?.name ?? null);
        fontOf.set(character, font);
      }
      if (font !== null) return { text: character, font };
      if (INVISIBLE.test(character)) return null;
      if (!replaced.has(character)) replaced.set(character, where);
      const instead = LETTERS.test(character) ? MISSING_LETTER : (INSTEAD[character] ?? `[${codeOf(character)}]`);
      return { text: instead, font: MISSING_LETTER === instead ? code.name : order[0]!.name };
    };
  }

  function runsIn(order: readonly FontCoverage[]) {
    const shown = coverage(order);
    return (text: string, where: string): FontRun[] => {
      const found: FontRun[] = [];
      if (TURNED.test(text)) rightToLeft ??= where;
      for (const character of text.normalize('NFC')) {
        const run = shown(character, where);
        const last = found.at(-1);
        if (run === null) continue;
        if (last !== undefined && (run.font === '' || last.font === '' || last.font === run.font)) {
          last.text += run.text;
          last.font ||= run.font;
        } else found.push(run);
      }
      return found.map(({ text: whole, font }) => ({ text: whole, font: font || order[0]!.name }));
    };
  }

  return {
    runs: runsIn(fonts),
    codeRuns: runsIn(forCode),
    notes() {
      const [first] = replaced;
      const names = fonts.map(({ name }) => name).join(', ');
      return [
        ...(first === undefined
          ? []
          : [
              `${replaced.size === 1 ? '1 character has' : `${replaced.size} characters have`} no glyph in ${names} and ${replaced.size === 1 ? 'is' : 'are'} replaced: ${firstNames([...replaced.keys()].map(quoted), MAX_NAMED)} (first in ${first[1]}); --font FILE adds a font`,
            ]),
        ...(rightToLeft === null
          ? []
          : [
              `${rightToLeft} has text that runs from right to left, and this PDF prints its words from left to right; the export as md or txt keeps their order`,
            ]),
      ];
    },
  };
}

const MAX_NAMED = 5;

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

const quoted = (character: string): string => `"${character}" (${codeOf(character)})`;

/** In a word, one box per missing letter is easier to read than a row of code points. */
const MISSING_LETTER = '\u25a1';
const LETTERS = /[\p{L}\p{M}\p{N}]/u;

/** Joiners, and characters that select between two forms of a character. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/u;

/** Matches two words in a row. The letters of a single word are in the correct order. */
const TURNED =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}]\P{L}*\s\P{L}*[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}]/u;

/** The characters that models use most often among those that the fonts lack. */
const INSTEAD: Readonly<Record<string, string>> = {
  '✅': '[x]',
  '❌': '[ ]',
  '⭐': '*',
};

/** For users, in one line. */
export const sectionNamed = (number: number, title: string): string => `section ${number} "${oneLine(title, 60)}"`;
