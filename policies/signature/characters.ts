// Classifies each character for the normaliser, in one table.

const WORD = 1;
export const SPACE = 2;
/** A letter beyond ASCII. Marks, signs, emoji, box drawing and private glyphs count as punctuation and are removed. */
export const LETTER = 4;

export const DIGITS = '0123456789';

/** The kind of every UTF-16 code unit, as the bits above. */
export const KIND = new Uint8Array(0x10000);

for (const sign of `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_${DIGITS}`) KIND[sign.charCodeAt(0)] = WORD;

const LETTERS = [
  [0xaa, 0xab],
  [0xb5, 0xb6],
  [0xba, 0xbb],
  [0xc0, 0xd7],
  [0xd8, 0xf7],
  [0xf8, 0x130],
  [0x131, 0x2b0],
  [0x370, 0x2000],
  [0x2c00, 0x2e00],
  [0x3040, 0xd800],
  [0xf900, 0xfe00],
  [0xfe70, 0xff00],
] as const;
for (const [from, to] of LETTERS) KIND.fill(LETTER, from, to);

const SPACES = [
  [0, 33],
  [127, 128],
  [0xa0, 0xa1],
  [0x1680, 0x1681],
  [0x2000, 0x200b],
  [0x2028, 0x202a],
  [0x202f, 0x2030],
  [0x205f, 0x2060],
  [0x3000, 0x3001],
] as const;
for (const [from, to] of SPACES) KIND.fill(SPACE, from, to);

const kindOf = (code: number): number => KIND[code] as number;

export const isWord = (code: number): boolean => (kindOf(code) & WORD) !== 0;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean => (kindOf(code) & SPACE) !== 0;
/** Surely not white space: a visible ASCII character. */
export const isInk = (code: number): boolean => code > 32 && code < 127;
