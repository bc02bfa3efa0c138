// What each character is to the normaliser: a table for ASCII, a few ranges for the rest.

export const WORD = 1;
export const DIGIT = 2;
export const HEX = 4;
/** Joins two words into one unit when it stands between them. */
export const JOINT = 8;
export const SPACE = 16;
/** May stand inside a path or a URL. */
export const TRAIL = 32;

export const DIGITS = '0123456789';

export const KIND = new Uint8Array(128);

mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', WORD | TRAIL);
mark(DIGITS, WORD | DIGIT | HEX | TRAIL);
mark('abcdefABCDEF', HEX);
mark('-.', JOINT | TRAIL);
mark('/@+=%#$&!~*', TRAIL);
for (let code = 0; code <= 32; code += 1) KIND[code] = SPACE;
KIND[127] = SPACE;

/**
 * A cheap no to most token classes. The first six: characters in the run of visible text around a word; then: the word
 * stands behind `:` or `=`, behind a quote, has seven letters or more, stands before a digit; a task's id is known.
 */
export const HAS = {
  digit: 1,
  slash: 2,
  colon: 4,
  at: 8,
  dot: 16,
  equals: 32,
  label: 64,
  quote: 128,
  length: 256,
  digitNext: 512,
  task: 1024,
} as const;

export const FEATURE = new Uint8Array(128);
for (const digit of DIGITS) FEATURE[digit.charCodeAt(0)] = HAS.digit;
FEATURE[47] = HAS.slash;
FEATURE[92] = HAS.slash;
FEATURE[58] = HAS.colon;
FEATURE[64] = HAS.at;
FEATURE[46] = HAS.dot;
FEATURE[61] = HAS.equals;

export function kindOf(code: number): number {
  return code < 128 ? (KIND[code] as number) : isLetter(code) ? TRAIL : isWideSpace(code) ? SPACE : 0;
}

export const isWord = (code: number): boolean => code < 128 && ((KIND[code] as number) & WORD) !== 0;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean =>
  code < 128 ? ((KIND[code] as number) & SPACE) !== 0 : isWideSpace(code);

/** Letters beyond ASCII. Marks, signs, emoji, box drawing and private glyphs are punctuation and vanish. */
export function isLetter(code: number): boolean {
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba;
  if (code === 0xd7 || code === 0xf7 || code === 0x130) return false;
  if (code < 0x2000) return code < 0x2b0 || code >= 0x370;
  if (code < 0x2e80) return code >= 0x2c00 && code < 0x2e00;
  return code >= 0x3040 && !(code >= 0xd800 && code < 0xf900) && !(code >= 0xfe00 && code < 0xfe70) && code < 0xff00;
}

function isWideSpace(code: number): boolean {
  return code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x2028 || code === 0x2029 || code === 0x3000;
}

function mark(characters: string, kind: number): void {
  for (const character of characters) KIND[character.charCodeAt(0)] = (KIND[character.charCodeAt(0)] as number) | kind;
}
