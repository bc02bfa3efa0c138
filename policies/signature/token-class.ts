// Defines a class of tokens by a bounded expression, its context, its replacement and its proofs, and parts that classes share.

/** What the caller knows to be volatile in this text. */
export interface ScanContext {
  taskId?: string;
  prompt?: string;
}

/** A place in a text where a token begins, and what precedes it. */
export interface TokenPlace {
  text: string;
  at: number;
  /** The end of the word, or of the words joined by `-` and `.`, that begins here. */
  unitEnd: number;
  /** The two words before; empty if something else precedes. */
  last: string;
  older: string;
  /** The character before, without quotes; empty means a word or a token, `START` means nothing. */
  lead: string;
  /** White space is between that character and this place. */
  spaced: boolean;
  /** The quote that opens here, or empty. */
  quote: string;
  context: ScanContext;
}

/** The lead of a text's first token; white space never counts as the character before. */
export const START = '\n';

export interface TokenClass {
  name: string;
  /** The normal form keeps the text before a placeholder, and a code or a wait; any other placeholder is removed. */
  put: string | ((piece: string, place: TokenPlace) => string);
  /** The text is never shown: it is a secret, or may be one. */
  isSecret?: true;
  /** The characters that it begins with: `WORD` for any letter or digit. */
  begins: string;
  /**
   * What must be in the visible text around it, of `/:@.=~`; `0` is a digit, `7` is seven characters, `L` is a label. `"` is a
   * quote before it, `T` is a known task, `U` is a figure with a unit.
   */
  needs?: string;
  /** Tried at this place only; each repeat has a bound. null means the whole unit. */
  is: string | null;
  flags?: 'iy';
  /** The expression must end where the unit ends. */
  whole?: true;
  /** Tried before the expression: checks the words before, and the unit. */
  given?: (place: TokenPlace) => boolean;
  /** Tried after the expression: checks what an expression cannot check. */
  when?: (piece: string, place: TokenPlace, end: number) => boolean;
  /** Used instead of an expression, if only the caller knows what to find: returns the end, or 0. */
  find?: (place: TokenPlace) => number;
  /** Texts with a token of the class, and their normal forms. */
  masks: readonly Example[];
  /** Texts that resemble one, with their normal forms. */
  keeps?: readonly Example[];
}

type Example = readonly [text: string, normal: string];

export const keep = (piece: string): string => piece.toLowerCase();

/** A set of words, in any letter case. */
export function oneOf(words: string): { test: (word: string) => boolean } {
  const set = new Set(words.split(' '));
  return { test: (word) => set.has(word.toLowerCase()) };
}

export const DIGITS = '0123456789';
export const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Any letter or digit, also of another script. */
export const WORD = `${DIGITS}${LETTERS}_`;

/** Letters beyond ASCII, for a character class. Marks, emoji, box drawing and private glyphs do not belong to it. */
export const BEYOND = String.raw`\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u012f\u0131-\u02af\u0370-\u167f\u1681-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdff\ufe70-\ufeff`;

/** The limit of every expression: a line has 2,000 characters, and JSON in it 32,768. */
const FAR = '{0,65535}';

/** Words joined by single `-` or `.`. */
export const UNIT = String.raw`\w{1,400}(?:[-.]\w{1,400}){0,200}`;
export const UNIT_END = String.raw`(?!\w|[-.]\w)`;

/** The characters that a path or a URL may contain. */
const TRAIL = String.raw`\w\-./@+=%#$&!~*${BEYOND}`;
export const TRAIL_RUN = String.raw`(?:[${TRAIL}]|\\ )${FAR}(?<![.!])`;

/** For a Windows path: a space belongs to it if a backslash follows soon. */
export const BACKSLASHED = String.raw`(?:[()${TRAIL}]|\\(?!")| (?=[^\s"'<>|:*?][^\s"'<>|:*?\\]{0,59}\\))${FAR}(?<![.)])`;

/** `:3`, `:3:5` or `(3,5)` after a file. */
export const LINE = String.raw`(?::\d{1,9}(?::\d{1,9})?|\(\d{1,9}(?:,\d{1,9})?\))?`;

/** `?key=value&…`. */
export const QUERY = String.raw`(?:\?(?=\w[${TRAIL}]{0,200}=)${TRAIL_RUN})?`;

/** The characters that a path may contain if it begins with a name. */
const RELATIVE = String.raw`\w/.\-@+${BEYOND}`;
export const RELATIVE_RUN = String.raw`(?<![${RELATIVE}])\.?\w[${RELATIVE}]${FAR}(?<!\.)${LINE}`;

/** `:8080/x` after a host; not `/requests_per_minute`, which is the name of a limit. */
export const PORT = String.raw`(?::\d{1,9})?(?:/(?![a-z]{0,60}_[a-z]{0,60}_[a-z_]{0,60}(?![${TRAIL}]))[${TRAIL}]${FAR}(?<![.,;:!?]))?`;

/** A character that closes a sentence or a bracket is not part of a URL. */
export const URL_RUN = String.raw`[\w!#$%&*+,\-./:;=?@~${BEYOND}]${FAR}(?<![.,;:!?])`;

export const VALUE = String.raw`[\w!#$%&(*+\-./:=?@[^{~${BEYOND}]{1,65535}`;

/** Extends to the quote that closes the one right before. */
export const quoted = (most: number): string => String.raw`(?<=(["'\x60]))(?:(?!\1)[^]){1,${most}}(?=\1)`;

/** After at most a little indentation. */
export const LINE_HEAD = String.raw`(?<=(?<![^\n])[ \t]{0,8})`;

const TIME_UNIT =
  'ns|[uµμ]s|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?';
export const DURATION = String.raw`\d{1,12}(?:[.,]\d{1,18})?(?:-|\s{0,3})(?:${TIME_UNIT})(?![a-z_])(?:,?\s?(?:and\s)?\d{1,6}(?:\.\d{1,9})?\s?(?:${TIME_UNIT})(?![a-z_])){0,8}(?!\w)`;
const PART = new RegExp(String.raw`(\d+(?:\.\d+)?)[\s-]?(${TIME_UNIT})(?![a-z_])`, 'gi');

/** @param unit the unit of a figure without one. */
export function secondsOf(amount: string, unit: string): number {
  let seconds = 0;
  for (const [, figure, name] of (/^\d+$/.test(amount) ? `${amount} ${unit}` : amount).matchAll(PART))
    seconds += Number(figure) * secondsIn(String(name).toLowerCase());
  return seconds;
}

function secondsIn(unit: string): number {
  if (/^m(?:s|illi)/.test(unit)) return 0.001;
  if (/^(?:ns|[uµμ]s)/.test(unit)) return 0;
  if (unit.startsWith('mo')) return 2_592_000;
  return { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }[unit.charAt(0)] ?? 0;
}

export const TOP_LEVEL =
  'com|org|net|io|dev|ai|edu|gov|cloud|uk|de|fr|cn|jp|ru|eu|nl|ch|at|be|au|ca|br|kr|local|internal|lan|localdomain|corp|google|goog|example|test|invalid|app|xyz|info|biz|us|es|se|pl|tv|intranet|home|svc|cluster|hk|tw|sg|th|vn|mx|ar|cl|co|nz|za|tr|gr|pt|cz|ro|hu|fi|dk|ie|ua|no|me|cc|mil|arpa|kz|ph|ir|pk|pe|sk|bg|lt|lv|lu|su';

// One-letter and word-like endings (`.c`, `.go`, `.in`) are omitted: they end sentences and method names too.
const EXTENSIONS = new Set(
  (
    'bak bash bat bin cache cc cert cfg cjs class cmd conf cpp crt cs css csv cts dart db deb diff dll ' +
    'dmg env epub exe gif gz h hpp htm html ico ini ipynb jar java jpeg jpg js json json5 jsonc jsonl jsx ' +
    'key kt lock log lua map md mdx mjs mts node patch pdf pem php pid pl plist png proto ps1 py pyc rb ' +
    'rs scss sh so sock sql sqlite svg swift tar tf tgz tmp toml ts tsbuildinfo tsx txt wasm webp whl ' +
    'xhtml xml yaml yml zip zsh'
  ).split(' '),
);

/** A file by its extension, maybe followed by a line; `Node.js` is a program. */
export function isFile(piece: string): boolean {
  const path = piece.replace(/[:(][\d:,)]{1,30}$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (dot < 1 || !EXTENSIONS.has(name.slice(dot + 1).toLowerCase())) return false;
  return !/^(?:node|next|vue|react)\.js$/i.test(name);
}
