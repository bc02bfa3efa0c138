// Which font shows each sign of a text, what is put in the place of one that none can show, and what would be lost.

import { oneLine } from '../../text/one-line.ts';

export interface FontCoverage {
  name: string;
  has(codePoint: number): boolean;
}

interface FontRun {
  text: string;
  font: string;
}

export interface Typesetter {
  /** @param where for people: `section 3 "Where I Lived"`. */
  runs(text: string, where: string): FontRun[];
  /** A sentence for each thing that cannot be shown; none: all can. */
  lost(): string[];
  /** A sentence on what was written in another way; null where nothing was. */
  replaced(): string | null;
}

/** @param fonts in the order in which they are asked; the first one stands for what none has. */
export function createTypesetter(fonts: readonly FontCoverage[]): Typesetter {
  const fontOf = new Map<string, string | null>();
  const [lost, replaced] = [new Map<string, string>(), new Map<string, string>()];
  let rightToLeft: string | null = null;

  function shown(sign: string, where: string): FontRun | null {
    let font = fontOf.get(sign);
    if (font === undefined) {
      font = /\s/.test(sign) ? null : (fonts.find((each) => each.has(sign.codePointAt(0)!))?.name ?? '');
      fontOf.set(sign, font);
    }
    if (font === null) return { text: sign, font: '' };
    if (font !== '') return { text: sign, font };
    if (INVISIBLE.test(sign)) return null;
    const list = LETTERS.test(sign) ? lost : replaced;
    if (!list.has(sign)) list.set(sign, where);
    return { text: INSTEAD[sign] ?? `[${named(sign)}]`, font: fonts[0]!.name };
  }

  return {
    runs(text, where) {
      const found: FontRun[] = [];
      if (TURNED.test(text)) rightToLeft ??= where;
      for (const sign of text.normalize('NFC')) {
        const run = shown(sign, where);
        const last = found.at(-1);
        if (run === null) continue;
        // A space goes with what it stands in.
        if (last !== undefined && (run.font === '' || last.font === '' || last.font === run.font)) {
          last.text += run.text;
          last.font ||= run.font;
        } else found.push(run);
      }
      return found.map(({ text: whole, font }) => ({ text: whole, font: font || fonts[0]!.name }));
    },
    lost() {
      const [first] = lost;
      const names = fonts.map(({ name }) => name).join(', ');
      return [
        // First: no font helps there.
        ...(rightToLeft === null
          ? []
          : [`${rightToLeft}: the words of a PDF run from left to right here, and its text runs from right to left`]),
        ...(first === undefined
          ? []
          : [
              `${first[1]}: no glyph for ${[...lost.keys()].slice(0, MAX_NAMED).map(quoted).join(', ')}${more(lost.size)} in ${names}; name a font that has them with --font FILE`,
            ]),
      ];
    },
    replaced() {
      const [first] = replaced;
      if (first === undefined) return null;
      return `${replaced.size} ${replaced.size === 1 ? 'sign is' : 'signs are'} written otherwise, since no font has ${replaced.size === 1 ? 'it' : 'them'}: ${[...replaced.keys()].slice(0, MAX_NAMED).map(quoted).join(', ')}${more(replaced.size)} (first in ${first[1]})`;
    },
  };
}

const MAX_NAMED = 5;

const more = (count: number): string => (count > MAX_NAMED ? ` and ${count - MAX_NAMED} more` : '');

const named = (sign: string): string => `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

const quoted = (sign: string): string => `"${sign}" (${named(sign)})`;

/** Without these a word is another one; a sign that is gone is seen to be. */
const LETTERS = /[\p{L}\p{M}\p{N}]/u;

/** Joiners, and what chooses between two forms of a sign. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/u;

/** Two words in a row: one alone stands rightly where it is. */
const TURNED =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}]\P{L}*\s\P{L}*[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}]/u;

/** What models write most, and Roboto lacks. */
const INSTEAD: Readonly<Record<string, string>> = {
  '→': '->',
  '←': '<-',
  '↔': '<->',
  '⇒': '=>',
  '⇐': '<=',
  '✓': '[x]',
  '✔': '[x]',
  '✅': '[x]',
  '☑': '[x]',
  '☐': '[ ]',
  '★': '*',
  '⭐': '*',
  '‑': '-',
};

/** For people, in one line. */
export const sectionNamed = (number: number, title: string): string => `section ${number} "${oneLine(title, 60)}"`;
