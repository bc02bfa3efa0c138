// Provides a text as numbers, which takes a third of the time of its methods, and classifies each character in one table.

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
// A code below the first letter becomes a large number here: one comparison instead of two.
export const isAsciiLetter = (code: number): boolean => ((code | 32) - 97) >>> 0 < 26;
export const isSmall = (code: number): boolean => (code - 97) >>> 0 < 26;
export const isCapital = (code: number): boolean => (code - 65) >>> 0 < 26;
/** Surely not white space: a visible ASCII character. */
export const isInk = (code: number): boolean => code > 32 && code < 127;

const HEADS = 32 ** 3;

/** One entry for each head; two heads may share one, in either case and among rare signs. */
type ByHead = Int32Array;

export const byHead = (): ByHead => new Int32Array(HEADS);

/** Packs the first three characters of a word into one number, which rejects most words cheaply. */
export const headAt = (codes: ArrayLike<number>, at: number): number =>
  ((codes[at]! & 31) << 10) | ((codes[at + 1]! & 31) << 5) | (codes[at + 2]! & 31);

/** The head of a word that is spelled out. */
export const headOf = (word: string): number =>
  headAt(
    [0, 1, 2].map((at) => word.charCodeAt(at)),
    0,
  );

/** No reader looks further past the end than this. */
const PAST_END = 64;
/** Most lines and tokens fit. */
const ROOM = 4096;
const bytesFor = (room: number) => Buffer.from(new ArrayBuffer(2 * (room + PAST_END)));
const BYTES = bytesFor(ROOM);
const CODES = new Uint16Array(BYTES.buffer);

/** A text's UTF-16 code units; valid until the next text. */
export function codesOf(text: string): Uint16Array {
  const { length } = text;
  const bytes = length > ROOM ? bytesFor(length) : BYTES;
  bytes.write(text, 'utf16le');
  return (length > ROOM ? new Uint16Array(bytes.buffer) : CODES).fill(0, length, length + PAST_END);
}
