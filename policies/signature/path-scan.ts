// Finds file paths: Windows, UNC, POSIX, home, relative, bare file names, each with a line and column behind it.

import { isDigit, isLetter, isWord, kindOf, TRAIL } from './characters.ts';
import { type Cursor, lettersAt, lettersOf } from './cursor.ts';

const BACKSLASH = 92;
const COLON = 58;
const DOT = 46;
const SLASH = 47;
const SPACE = 32;

/** `C:\a b\c.ts:3:5`, also with doubled backslashes. A space belongs to it if a backslash follows soon. */
export function scanWindowsPath(cursor: Cursor, at: number): number {
  const { text } = cursor;
  if (cursor.unitEnd !== at + 1 || text.charCodeAt(at + 1) !== COLON) return 0;
  const sign = text.charCodeAt(at + 2);
  if (sign !== BACKSLASH && !(sign === SLASH && text.charCodeAt(at + 3) !== SLASH)) return 0;
  return pastPlace(text, pastBackslashes(text, at + 3));
}

/** `\\server\share\file`; a run of backslashes that only escapes something is none. */
export function scanUncPath(cursor: Cursor, at: number): number {
  const { text } = cursor;
  if (text.charCodeAt(at + 1) !== BACKSLASH || isWord(text.charCodeAt(at - 1))) return 0;
  let name = at + 2;
  while (name < at + 5 && text.charCodeAt(name) === BACKSLASH) name += 1;
  let end = name;
  while (end < name + 64 && (isWord(text.charCodeAt(end)) || text.charCodeAt(end) === 45)) end += 1;
  if (end === name || text.charCodeAt(end) !== BACKSLASH) return 0;
  let next = end;
  while (next < end + 3 && text.charCodeAt(next) === BACKSLASH) next += 1;
  if (!isWord(text.charCodeAt(next))) return 0;
  return pastPlace(text, pastBackslashes(text, end));
}

/** `/usr/lib/x.js:3:5`, `~/x`, `./x`, `../x`. Not the slash of `and/or`, of `</title>` or of `// note`. */
export function scanPosixPath(cursor: Cursor, at: number): number {
  const { text } = cursor;
  const before = text.charCodeAt(at - 1);
  // `>` and `)` end something that the slash divides; a letter, a dot or a dash would make it a relative path.
  if (isWord(before) || isLetter(before) || '/.-~)]}<>@+'.includes(text.charAt(at - 1) || ' ')) return 0;
  let from = at;
  if (text.charCodeAt(from) !== SLASH) {
    while (from < at + 34 && text.charCodeAt(from) !== SLASH) {
      const code = text.charCodeAt(from);
      if (code !== DOT && code !== 126 && !(from > at && text.charCodeAt(at) === 126 && isWord(code))) return 0;
      from += 1;
    }
    if (text.charCodeAt(from) !== SLASH) return 0;
  }
  const first = text.charCodeAt(from + 1);
  if (!isWord(first) && !isLetter(first) && first !== DOT && first !== 64 && first !== 126) return 0;
  return pastPlace(text, pastTrail(text, from + 1));
}

/** `src/a/b` and `src/a.ts`: two slashes, or one and a file name. */
export function scanRelativePath(cursor: Cursor, at: number): number {
  return relativePath(cursor.text, at, 2);
}

/** `.github/workflows`: one slash is enough. */
export function scanHiddenPath(cursor: Cursor, at: number): number {
  return isWord(cursor.text.charCodeAt(at + 1)) ? relativePath(cursor.text, at, 1) : 0;
}

function relativePath(text: string, at: number, enoughSlashes: number): number {
  if (at > 0 && isRelative(text.charCodeAt(at - 1))) return 0;
  let end = at;
  let slashes = 0;
  let digitsOnly = true;
  let name = at;
  for (; isRelative(text.charCodeAt(end)); end += 1) {
    const code = text.charCodeAt(end);
    if (code === SLASH) {
      if (text.charCodeAt(end + 1) === SLASH) return 0;
      slashes += 1;
      name = end + 1;
    } else if (!isDigit(code)) digitsOnly = false;
  }
  if (slashes === 0 || digitsOnly) return 0;
  while (text.charCodeAt(end - 1) === DOT) end -= 1;
  return slashes >= enoughSlashes || isFileName(text, name, end) ? pastPlace(text, end) : 0;
}

/** `app.ts:403:11`, `settings.json`. */
export function scanFileName(cursor: Cursor, at: number): number {
  return isFileName(cursor.text, at, cursor.unitEnd) ? pastPlace(cursor.text, cursor.unitEnd) : 0;
}

/** `node:internal/x:95:5` and `file:///a/b.js:1:2`. */
export function scanModulePath(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd !== at + 4 || text.charCodeAt(unitEnd) !== COLON) return 0;
  const scheme = lettersAt(text, at, 4);
  const after = text.charCodeAt(unitEnd + 1);
  if (FILE.has(scheme) ? after !== SLASH : !NODE.has(scheme) || !isWord(after) || isDigit(after)) return 0;
  return pastPlace(text, pastTrail(text, unitEnd + 1));
}

const FILE = lettersOf('file');
const NODE = lettersOf('node');

/** A quoted path may hold spaces: `'/a b/c'`. */
export function scanQuotedPath(cursor: Cursor, at: number): number {
  const { text, quote } = cursor;
  if (quote === 0) return 0;
  const begins =
    scanPosixPath(cursor, at) || (kindOf(text.charCodeAt(at)) & TRAIL && isWindows(text, at)) || isUnc(text, at);
  if (!begins) return 0;
  const close = text.slice(at, at + 300).search(quote === 34 ? /["\n]/ : quote === 39 ? /['\n]/ : /[`\n]/);
  if (close <= 0 || text.charCodeAt(at + close) !== quote) return 0;
  // A sentence that merely begins with a path, such as '/login failed', is no path.
  const inside = text.slice(at, at + close);
  return / /.test(inside) && !/ [^ ]*[\\/]/.test(inside) ? 0 : at + close;
}

const isWindows = (text: string, at: number): boolean =>
  isLetterCode(text.charCodeAt(at)) && text.charCodeAt(at + 1) === COLON && text.charCodeAt(at + 2) === BACKSLASH;
const isUnc = (text: string, at: number): boolean =>
  text.charCodeAt(at) === BACKSLASH && text.charCodeAt(at + 1) === BACKSLASH && isWord(text.charCodeAt(at + 2));
const isLetterCode = (code: number): boolean => isWord(code) && !isDigit(code);

function pastBackslashes(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH && text.charCodeAt(end + 1) === 34) break;
    if (code === SPACE && !/^ [^\s"'<>|:*?]{1,60}\\/.test(text.slice(end, end + 64))) break;
    if (code !== SPACE && code !== BACKSLASH && code !== 40 && code !== 41 && !(kindOf(code) & TRAIL)) break;
  }
  while (text.charCodeAt(end - 1) === DOT || text.charCodeAt(end - 1) === 41) end -= 1;
  return end;
}

function pastTrail(text: string, from: number): number {
  let end = from;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH && text.charCodeAt(end + 1) === SPACE) end += 2;
    else if (kindOf(code) & TRAIL) end += 1;
    else break;
  }
  while (end > from && (text.charCodeAt(end - 1) === DOT || text.charCodeAt(end - 1) === 33)) end -= 1;
  return end;
}

/** Past `:3`, `:3:5` or `(3,5)`. */
function pastPlace(text: string, from: number): number {
  let end = from;
  for (let part = 0; part < 2 && text.charCodeAt(end) === COLON && isDigit(text.charCodeAt(end + 1)); part += 1) {
    end += 2;
    while (isDigit(text.charCodeAt(end))) end += 1;
  }
  if (text.charCodeAt(end) !== 40 || end > from) return end;
  const place = /^\(\d{1,7}(?:,\d{1,7})?\)/.exec(text.slice(end, end + 20));
  return place ? end + place[0].length : end;
}

const isRelative = (code: number): boolean =>
  isWord(code) || isLetter(code) || code === SLASH || code === DOT || code === 45 || code === 64 || code === 43;

function isFileName(text: string, from: number, to: number): boolean {
  let dot = to - 1;
  while (dot > from && dot > to - 12 && text.charCodeAt(dot) !== DOT) dot -= 1;
  if (dot <= from || to - dot < 2 || text.charCodeAt(dot) !== DOT) return false;
  return (
    EXTENSIONS.has(text.slice(dot + 1, to).toLowerCase()) &&
    !/^(?:node|next|vue|react)\.js$/i.test(text.slice(from, to))
  );
}

// One-letter and word-like endings (`.c`, `.go`, `.in`) are left out: they end sentences and method names too.
const EXTENSIONS = new Set(
  (
    'bak bash bat bin cache cc cert cfg cjs class cmd conf cpp crt cs css csv cts dart db deb diff dll dmg env epub exe ' +
    'gif gz h hpp htm html ico ini ipynb jar java jpeg jpg js json json5 jsonc jsonl jsx key kt lock log lua map md mdx ' +
    'mjs mts node patch pdf pem php pid pl plist png proto ps1 py pyc rb rs scss sh so sock sql sqlite svg swift tar tf ' +
    'tgz tmp toml ts tsbuildinfo tsx txt wasm webp whl xhtml xml yaml yml zip zsh'
  ).split(' '),
);
