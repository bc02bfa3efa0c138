// What each character is to the normaliser: one table for all of them.

export const WORD = 1;
export const DIGIT = 2;
export const HEX = 4;
/** Joins two words into one unit when it stands between them. */
export const JOINT = 8;
export const SPACE = 16;
/** May stand inside a path or a URL. */
export const TRAIL = 32;
/** A letter beyond ASCII. Marks, signs, emoji, box drawing and private glyphs are punctuation and vanish. */
export const LETTER = 64;
/** May stand inside a path that begins with a name. */
export const RELATIVE = 128;

export const DIGITS = '0123456789';

/** A cheap no to most token classes. */
export const HAS = {
  /** These stand in the run of visible text around the word. */
  digit: 1,
  slash: 2,
  colon: 4,
  at: 8,
  dot: 16,
  equals: 32,
  /** `:` or `=` stands before the word; a quote opens right before it. */
  label: 64,
  quote: 128,
  /** The word has 7 characters or more; it has 32; so far it is to the end of the run: 16. */
  length: 256,
  great: 512,
  reach: 1024,
  /** It is made of words joined by `-` or `.`. */
  joined: 2048,
  /** A digit follows it closely; `:` or `]` follows at once. */
  digitNext: 4096,
  closed: 8192,
  /** It is a figure with a unit of time, or of size, or with the name of a month or `am` and `pm` behind it. */
  time: 16384,
  size: 32768,
  half: 65536,
  /** The id of a task is known. */
  task: 131072,
} as const;

/** Where the `HAS` bits of a character begin in its entry. */
export const FEATURES = 8;

/** What every UTF-16 code unit is: the bits above, and what it is a feature of. */
export const KIND = new Uint16Array(0x10000);

mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', WORD | TRAIL | RELATIVE);
mark(DIGITS, WORD | DIGIT | HEX | TRAIL | RELATIVE | (HAS.digit << FEATURES));
mark('abcdefABCDEF', HEX);
mark('-.', JOINT | TRAIL);
mark('/@+=%#$&!~*', TRAIL);
mark('/.-@+', RELATIVE);
mark('/\\', HAS.slash << FEATURES);
mark(':', HAS.colon << FEATURES);
mark('@', HAS.at << FEATURES);
mark('.', HAS.dot << FEATURES);
mark('=', HAS.equals << FEATURES);

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
for (const [from, to] of LETTERS) KIND.fill(LETTER | TRAIL | RELATIVE, from, to);

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

export const kindOf = (code: number): number => KIND[code] as number;

export const isWord = (code: number): boolean => (kindOf(code) & WORD) !== 0;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean => (kindOf(code) & SPACE) !== 0;
export const isLetter = (code: number): boolean => (kindOf(code) & LETTER) !== 0;
/** Surely no white space: a visible sign of ASCII. */
export const isInk = (code: number): boolean => code > 32 && code < 127;
/** An ASCII letter or `_`. */
export const isAlpha = (code: number): boolean => (kindOf(code) & (WORD | DIGIT)) === WORD;

function mark(characters: string, kind: number): void {
  for (const character of characters) KIND[character.charCodeAt(0)]! |= kind;
}
