// Finds names that change between two runs of one failure: labelled ids, values, names of things, random words.

import { isDigit, isLetter, isSpace, isWord, kindOf } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { endOf, patternAt } from '../scan/pattern.ts';
import { codeBefore, nextWord, pastWord } from '../scan/read-units.ts';
import { isAfter, isOneOf, wordsOf } from '../scan/words.ts';

/** `request id: abc`, `"session_id":"abc"`, `requestId=abc`: the value. */
export function scanLabelledId(cursor: Cursor, at: number): number {
  const { codes, lastFrom, lastTo } = cursor;
  if (!isIdLabel(codes, lastFrom, lastTo)) return 0;
  const end = pastValue(codes, at);
  if (cursor.quote || !cursor.spaced) return end;
  // `id: not found` says something; `id: Xy-1` does not.
  for (let i = at; i < end; i += 1) {
    const code = codes[i]!;
    if (isDigit(code) || (code > 64 && code < 91)) return end;
  }
  return 0;
}

/** `req_…`, `toolu_…`, `org-…`, `chatcmpl-…` without a digit. */
export function scanPrefixedId({ text, codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd - at > 80) return 0;
  let mark = at + 3;
  while (mark < at + 8 && isWord(codes[mark]!) && codes[mark] !== 95) mark += 1;
  if (codes[mark] !== 95 && codes[mark] !== 45) return 0;
  return endOf(PREFIXED, text, at) === unitEnd ? unitEnd : 0;
}

/** `key=value`, unless the key says that the value tells. */
export function scanValue(cursor: Cursor, at: number): number {
  const { codes, lead, quote } = cursor;
  if (lead !== 61 || cursor.spaced || cursor.lastFrom === cursor.lastTo || isAfter(TELLING_KEYS, cursor)) return 0;
  const close = quote ? closeOf(cursor, at, 200) : at;
  return close > at ? close : pastValue(codes, at);
}

/** `model 'x'`, `'x' model`: the name. */
export function scanName(cursor: Cursor, at: number): number {
  const close = closeOf(cursor, at, 120);
  if (close <= at) return 0;
  if (cursor.lead === 0 && isAfter(NAMED_THINGS, cursor)) return close;
  const next = nextWord(cursor.codes, close + 1);
  return isOneOf(NAMED_AFTER, cursor.codes, next, pastWord(cursor.codes, next)) ? close : 0;
}

/** Where the quote closes that opens right before `at`, or `at`: not within so many characters. */
function closeOf({ text, codes, quote }: Cursor, at: number, within: number): number {
  const far = Math.min(at + within, text.length);
  let end = at;
  while (end < far && codes[end] !== quote) end += 1;
  return end < far ? end : at;
}

/** `models/x`: the name. */
export const scanModel = (cursor: Cursor, _at: number): number =>
  cursor.lead === 47 && !cursor.spaced && isAfter(MODELS, cursor) ? cursor.unitEnd : 0;

const MODELS = wordsOf(
  'model models project projects location locations publisher publishers organization organizations user users',
);

/** `spawn x ENOENT`: without the error word. */
export function scanSpawned({ text, codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd !== at + 5 || codes[unitEnd] !== 32 || !isOneOf(SPAWN, codes, at, unitEnd)) return 0;
  return endOf(SPAWNED, text, unitEnd);
}

const SPAWN = wordsOf('spawn');
const SPAWNED = patternAt(String.raw` [\w./\\:-]{1,200}(?= E[A-Z]{4})`, 'y');

/** `codex` of `spawn /usr/bin/codex ENOENT`: which program it is tells, where it lies does not. */
export const spawnedName = ({ text }: Cursor, at: number, end: number): string => {
  const [name = ''] = /[\w-]*$/.exec(text.slice(at, end).replace(/\.(?:exe|cmd|bat|sh|js|cjs|mjs)$/i, '')) ?? [];
  return /^[A-Za-z][A-Za-z_-]*$/.test(name) ? `spawn ${name.toLowerCase()}` : 'spawn';
};

/** `GLIBC_2.39`: a library and the version of it. */
export const scanLibrary = ({ text, unitEnd }: Cursor, at: number): number =>
  endOf(LIBRARY, text, at) === unitEnd ? unitEnd : 0;

const LIBRARY = patternAt(String.raw`[A-Z][A-Za-z]{2,30}_\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,3}`, 'y');

export const libraryName = ({ text }: Cursor, at: number, end: number): string =>
  text.slice(at, end).replace(/_.*/, '').toLowerCase();

/** `@scope/package`. */
export function scanPackage(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  if (isWord(codeBefore(cursor, at)) || !isWord(codes[at + 1]!)) return 0;
  let end = at + 1;
  let slash = 0;
  for (; ; end += 1) {
    const code = codes[end]!;
    if (code === 47 && !slash) slash = end;
    else if (!isWord(code) && code !== 45 && code !== 46) break;
  }
  return slash && end > slash + 1 ? end : 0;
}

/** The word "error" as a mere label: `ERROR:`, `[ERROR]`. It is there in one rendering and missing in the next. */
export function scanLevel({ codes, unitEnd, lead, quote }: Cursor, at: number): number {
  if (quote || !isOneOf(LEVELS, codes, at, unitEnd)) return 0;
  return codes[unitEnd] === 58 || lead === 91 || isLoud(codes, at, unitEnd) ? unitEnd : 0;
}

/** `ERROR`, in capitals at the head of a line. */
function isLoud(codes: Uint16Array, at: number, end: number): boolean {
  for (let i = at; i < end; i += 1) if (codes[i]! > 90) return false;
  return isHead(codes, at);
}

/** At the head of a line, behind a little indentation at the most. */
function isHead(codes: Uint16Array, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && before > at - 9 && (codes[before] === 32 || codes[before] === 9)) before -= 1;
  return before < 0 || codes[before] === 10;
}

/** `request id: 1A2B`, `cf-ray 8f…`, `x-request-id=…`: as a whole, for it is told in one rendering and not in the next. */
export function scanTraceId({ text, codes }: Cursor, at: number): number {
  const end = endOf(TRACE_ID, text, at);
  for (let i = end - 1; i > at && codes[i]! > 32; i -= 1) if (isDigit(codes[i]!)) return end;
  return 0;
}

const TRACE_ID = patternAt(
  String.raw`(?:(?:x-)?(?:(?:github|oai|amzn|goog|ms|cloudaicompanion|client)-)?(?:request|req|trace|correlation|ray|operation)[ _-]?id|cf-ray|traceparent)["']?\s{0,2}[:= ]\s{0,12}["'(]{0,2}[\w:.-]{6,80}`,
);

/** `e:` or `r [Error]:` at the head of a line: what a bundler has made of the name of a class. */
export function scanMinified({ text, codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd !== at + 1 || !isHead(codes, at)) return 0;
  return endOf(MINIFIED, text, at);
}

const MINIFIED = patternAt(String.raw`[a-zA-Z](?: \[\w{1,40}\])?:(?= )`);

/** `bash: line 1:` before what the shell says. */
export function scanShell({ text, codes }: Cursor, at: number): number {
  return isHead(codes, at) ? endOf(SHELL, text, at) : 0;
}

const SHELL = patternAt(String.raw`(?:bash|sh|zsh|dash|ksh|ash):(?: (?:line )?\d{1,6}:)?(?= )`);

/** Seven or more hex digits, though none of them is a figure. */
export const scanHex = ({ unitIsHex, unitEnd }: Cursor, _at: number): number => (unitIsHex ? unitEnd : 0);

/** Base64 and the like: long, and as many capitals as small letters. */
export function scanRandom({ codes, unitEnd }: Cursor, at: number): number {
  let capitals = 0;
  for (let i = at; i < unitEnd; i += 1) {
    const code = codes[i]!;
    if (code > 64 && code < 91) capitals += 1;
    else if (code === 95 || code === 45 || code === 46) return 0;
  }
  const share = capitals / (unitEnd - at);
  return share > 0.3 && share < 0.7 ? unitEnd : 0;
}

/** `name~31bf3856~amd64~~6.1.0`: a name with its versions. */
export function scanVersioned(cursor: Cursor, at: number): number {
  const { codes, unitEnd } = cursor;
  if (codes[unitEnd] !== TILDE || !isWord(codes[unitEnd + 1]!)) return 0;
  let end = unitEnd;
  let digits = 0;
  let past = at;
  for (; isWord(codes[end]!) || codes[end] === TILDE || codes[end] === 45 || codes[end] === 46; end += 1) {
    if (isDigit(codes[end]!)) digits += 1;
    if (isWord(codes[end]!)) past = end + 1;
  }
  return digits > 0 ? past : 0;
}

const TILDE = 126;

/** Any unit with a digit in it, save the names that everybody knows. */
export const scanNumber = ({ codes, unitEnd, unitHasDigit }: Cursor, at: number): number =>
  unitHasDigit && !isOneOf(KNOWN, codes, at, unitEnd) ? unitEnd : 0;

function isIdLabel(codes: Uint16Array, from: number, to: number): boolean {
  if (to - from < 2 || (codes[to - 1]! | 32) !== 100 || (codes[to - 2]! | 32) !== 105) return false;
  if (to - from === 2) return true;
  // `quotaId` names the limit.
  if (to - from === 7 && (codes[from]! | 32) === 113) return false;
  const before = codes[to - 3]!;
  return before === 95 || before === 45 || (codes[to - 2] === 73 && before > 96);
}

function pastValue(codes: Uint16Array, at: number): number {
  let end = at;
  for (; ; end += 1) {
    const code = codes[end]!;
    if (code < 128 ? VALUE_STOPS[code] : isSpace(code) || (kindOf(code) === 0 && !isLetter(code))) break;
  }
  return end;
}

const VALUE_STOPS = new Uint8Array(128).fill(1, 0, 33);
for (const sign of '"\'`,;)}]<>|\\\x7f') VALUE_STOPS[sign.charCodeAt(0)] = 1;

const PREFIXED = patternAt(
  '(?:(?:org|proj)-\\w[\\w-]{2,79}\\w' +
    '|(?:req|call|toolu|msg|resp|chatcmpl|sess|run|thread|evt|asst|trace|batch)[-_](?:(?=[a-z]{0,80}[A-Z])[A-Za-z]{8,80}|[A-Za-z]{16,80}))(?!\\w)',
  'y',
);
const TELLING_KEYS = wordsOf(
  'error err reason code status statuscode type message msg level kind cause errno signal result detail details title category errortype error_type error_code desc description',
);
/** No server: one beside the model bears the name that the user's own settings give it, and two of them are two failures. */
const NAMED_THINGS = wordsOf(
  'model models package user host organization organisation project account deployment container extension',
);
const NAMED_AFTER = wordsOf('model');
const LEVELS = wordsOf('error fatal err');
const KNOWN = wordsOf(
  'oauth2 oauth1 sha1 sha256 sha512 md5 utf8 utf-8 utf16 base64 ipv4 ipv6 http2 http3 x509 s3 ec2 k8s x64 x86_64 arm64 win32 log4j auth0 h2 i18n tls1',
);
