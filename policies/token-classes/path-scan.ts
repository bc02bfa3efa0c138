// Finds file paths: Windows, UNC, POSIX, home, relative, bare file names, each with a line and column behind it.

import { isAlpha, isDigit, isSpace, isWord, kindOf, LETTER, RELATIVE, TRAIL, WORD } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { codeBefore } from '../scan/read-units.ts';
import { isOneOf, wordsOf } from '../scan/words.ts';

const BACKSLASH = 92;
const CLOSING = 41;
const COLON = 58;
const DOT = 46;
const OPENING = 40;
const SLASH = 47;
const SPACE = 32;
const TILDE = 126;

/** `C:\a b\c.ts:3:5`, also with doubled backslashes. A space belongs to it if a backslash follows soon. */
export function scanWindowsPath({ codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd !== at + 1 || codes[at + 1] !== COLON) return 0;
  const sign = codes[at + 2];
  if (sign !== BACKSLASH && !(sign === SLASH && codes[at + 3] !== SLASH)) return 0;
  return pastPlace(codes, pastBackslashes(codes, at + 3));
}

/** `\\server\share\file`; a run of backslashes that only escapes something is none. */
export function scanUncPath(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  if (codes[at + 1] !== BACKSLASH || isWord(codeBefore(cursor, at))) return 0;
  let name = at + 2;
  while (name < at + 5 && codes[name] === BACKSLASH) name += 1;
  let end = name;
  while (end < name + 64 && (isWord(codes[end]!) || codes[end] === 45)) end += 1;
  if (end === name || codes[end] !== BACKSLASH) return 0;
  let next = end;
  while (next < end + 3 && codes[next] === BACKSLASH) next += 1;
  if (!isWord(codes[next]!)) return 0;
  return pastPlace(codes, pastBackslashes(codes, end));
}

/** `/usr/lib/x.js:3:5`, `~/x`, `./x`, `../x`. Not the slash of `and/or`, of `</title>` or of `// note`. */
export function scanPosixPath(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  // `>` and `)` end something that the slash divides; a letter, a dot or a dash would make it a relative path.
  const before = codeBefore(cursor, at);
  if (kindOf(before) & (WORD | LETTER) || (before < 128 && NO_PATH_AFTER[before])) return 0;
  let from = at;
  if (codes[from] !== SLASH) {
    const inHome = codes[at] === TILDE;
    while (from < at + 34 && codes[from] !== SLASH) {
      const code = codes[from]!;
      if (code !== DOT && code !== TILDE && !(from > at && inHome && isWord(code))) return 0;
      from += 1;
    }
    if (codes[from] !== SLASH) return 0;
  }
  const first = codes[from + 1]!;
  if (!(kindOf(first) & (WORD | LETTER)) && first !== DOT && first !== 64 && first !== TILDE) return 0;
  return pastPlace(codes, pastQuery(codes, pastTrail(codes, from + 1)));
}

/** Past `?key=value&…`. */
function pastQuery(codes: Uint16Array, from: number): number {
  if (codes[from] !== 63 || !isWord(codes[from + 1]!)) return from;
  const end = pastTrail(codes, from + 1);
  for (let at = from + 2; at < end; at += 1) if (codes[at] === 61) return end;
  return from;
}

const NO_PATH_AFTER = new Uint8Array(128);
for (const sign of '/.-~)]}<>@+') NO_PATH_AFTER[sign.charCodeAt(0)] = 1;

/** `src/a/b` and `src/a.ts`: two slashes, or one and a file name. */
export const scanRelativePath = (cursor: Cursor, at: number): number => relativePath(cursor, at, 2);

/** `.github/workflows`: one slash is enough. */
export const scanHiddenPath = (cursor: Cursor, at: number): number =>
  isWord(cursor.codes[at + 1]!) ? relativePath(cursor, at, 1) : 0;

function relativePath(cursor: Cursor, at: number, enoughSlashes: number): number {
  const { codes } = cursor;
  if (isRelative(codeBefore(cursor, at))) return 0;
  let end = at;
  let slashes = 0;
  let digitsOnly = true;
  let name = at;
  for (; isRelative(codes[end]!); end += 1) {
    const code = codes[end]!;
    if (code === SLASH) {
      if (codes[end + 1] === SLASH) return 0;
      slashes += 1;
      name = end + 1;
    } else if (!isDigit(code)) digitsOnly = false;
  }
  if (slashes === 0 || digitsOnly) return 0;
  while (codes[end - 1] === DOT) end -= 1;
  return slashes >= enoughSlashes || isFileName(codes, name, end) ? pastPlace(codes, end) : 0;
}

/** `app.ts:403:11`, `settings.json`. */
export const scanFileName = ({ codes, unitEnd }: Cursor, at: number): number =>
  isFileName(codes, at, unitEnd) ? pastPlace(codes, unitEnd) : 0;

/** `node:internal/x:95:5` and `file:///a/b.js:1:2`. */
export function scanModulePath({ codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd !== at + 4 || codes[unitEnd] !== COLON) return 0;
  const after = codes[unitEnd + 1]!;
  if (isOneOf(FILE, codes, at, unitEnd)) {
    if (after !== SLASH) return 0;
  } else if (!isAlpha(after) || !isOneOf(NODE, codes, at, unitEnd)) return 0;
  return pastPlace(codes, pastTrail(codes, unitEnd + 1));
}

const FILE = wordsOf('file');
const NODE = wordsOf('node');

/** A quoted path may hold spaces: `'/a b/c'`. */
export function scanQuotedPath(cursor: Cursor, at: number): number {
  const { text, codes, quote } = cursor;
  if (quote === 0 || !(isWindows(codes, at) || isUnc(codes, at) || scanPosixPath(cursor, at))) return 0;
  let spaces = 0;
  let lastSpace = 0;
  let spaceBeforeSlash = false;
  let end = at;
  for (; codes[end] !== quote; end += 1) {
    const code = codes[end]!;
    if (code === 10 || end === at + 300 || end === text.length) return 0;
    if (code === SPACE) {
      spaces += 1;
      lastSpace = end;
    } else if ((code === SLASH || code === BACKSLASH) && lastSpace > at) spaceBeforeSlash = true;
  }
  // A sentence that merely begins with a path, such as '/login failed', is no path.
  return spaces > 0 && !spaceBeforeSlash ? 0 : end;
}

const isWindows = (codes: Uint16Array, at: number): boolean =>
  isAlpha(codes[at]!) && codes[at + 1] === COLON && codes[at + 2] === BACKSLASH;
const isUnc = (codes: Uint16Array, at: number): boolean =>
  codes[at] === BACKSLASH && codes[at + 1] === BACKSLASH && isWord(codes[at + 2]!);

function pastBackslashes(codes: Uint16Array, from: number): number {
  let end = from;
  for (; ; end += 1) {
    const code = codes[end]!;
    if (code === BACKSLASH && codes[end + 1] === 34) break;
    if (code === SPACE ? !leadsOn(codes, end + 1) : !(kindOf(code) & TRAIL) && !isPathSign(code)) break;
  }
  while (codes[end - 1] === DOT || codes[end - 1] === CLOSING) end -= 1;
  return end;
}

const isPathSign = (code: number): boolean => code === BACKSLASH || code === OPENING || code === CLOSING;

/** Whether a backslash stands in the word at `from`, as in `C:\Program Files\x`. */
function leadsOn(codes: Uint16Array, from: number): boolean {
  for (let at = from; at < from + 61; at += 1) {
    const code = codes[at]!;
    if (code === BACKSLASH && at > from) return true;
    if (isSpace(code) || (code < 128 && NOT_IN_NAMES[code])) return false;
  }
  return false;
}

const NOT_IN_NAMES = new Uint8Array(128);
for (const sign of '"\'<>|:*?') NOT_IN_NAMES[sign.charCodeAt(0)] = 1;

function pastTrail(codes: Uint16Array, from: number): number {
  let end = from;
  for (;;) {
    if (kindOf(codes[end]!) & TRAIL) end += 1;
    else if (codes[end] === BACKSLASH && codes[end + 1] === SPACE) end += 2;
    else break;
  }
  while (end > from && (codes[end - 1] === DOT || codes[end - 1] === 33)) end -= 1;
  return end;
}

/** Past `:3`, `:3:5` or `(3,5)`. */
function pastPlace(codes: Uint16Array, from: number): number {
  let end = from;
  for (let part = 0; part < 2 && codes[end] === COLON && isDigit(codes[end + 1]!); part += 1)
    end = pastDigits(codes, end + 2);
  if (codes[end] !== OPENING || end > from || !isDigit(codes[end + 1]!)) return end;
  let close = pastDigits(codes, end + 2);
  if (codes[close] === 44 && isDigit(codes[close + 1]!)) close = pastDigits(codes, close + 2);
  return codes[close] === CLOSING ? close + 1 : end;
}

function pastDigits(codes: Uint16Array, from: number): number {
  let end = from;
  while (isDigit(codes[end]!)) end += 1;
  return end;
}

const isRelative = (code: number): boolean => (kindOf(code) & RELATIVE) !== 0;

function isFileName(codes: Uint16Array, from: number, to: number): boolean {
  let dot = to - 1;
  while (dot > from && dot > to - 12 && codes[dot] !== DOT) dot -= 1;
  if (dot <= from || codes[dot] !== DOT) return false;
  return isOneOf(EXTENSIONS, codes, dot + 1, to) && !isOneOf(NAMES_IN_JS, codes, from, to);
}

const NAMES_IN_JS = wordsOf('node.js next.js vue.js react.js');

// One-letter and word-like endings (`.c`, `.go`, `.in`) are left out: they end sentences and method names too.
const EXTENSIONS = wordsOf(
  'bak bash bat bin cache cc cert cfg cjs class cmd conf cpp crt cs css csv cts dart db deb diff dll dmg env epub exe ' +
    'gif gz h hpp htm html ico ini ipynb jar java jpeg jpg js json json5 jsonc jsonl jsx key kt lock log lua map md mdx ' +
    'mjs mts node patch pdf pem php pid pl plist png proto ps1 py pyc rb rs scss sh so sock sql sqlite svg swift tar tf ' +
    'tgz tmp toml ts tsbuildinfo tsx txt wasm webp whl xhtml xml yaml yml zip zsh',
);
