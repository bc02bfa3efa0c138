// Finds names that change between two runs of one failure: secrets, the task, labelled ids, values, names of things.

import { isDigit, isLetter, isSpace, isWord, kindOf } from './characters.ts';
import { type Cursor, lettersAt, lettersOf, wordAfter, wordBefore } from './cursor.ts';

const PLACEHOLDER = /<(?:path|url|mail|host|time|secret|task|prompt|name|v|n|wait:[smh]|code:[\w-]{1,60})>/iy;
const REDACTED = /\[REDACTED:[^\]\s]{1,80}\]/iy;
const SECRET =
  /(?:sk-[\w*-]{4,}|[sr]k_(?:live|test)_\w{8,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|AIza[\w*-]{10,}|ya29\.[\w.-]{8,}|xox[a-z]-[\w-]{8,}|A[KS]IA\w{12,}|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?)/iy;
const SECRET_PAIRS = lettersOf('sk', 'rk', 'gh', 'gi', 'ai', 'ya', 'xo', 'ak', 'as', 'ey');
const BEARER = /[\w.~+/=-]{16,}/y;

/** What an earlier pass put in stays as it is. */
export const scanPlaceholder = (cursor: Cursor, at: number): number => endOf(PLACEHOLDER, cursor, at);

export const scanRedacted = (cursor: Cursor, at: number): number => endOf(REDACTED, cursor, at);

/** `sk-…`, `ghp_…`, `AIza…`, a JWT. */
export const scanSecret = (cursor: Cursor, at: number): number =>
  SECRET_PAIRS.has(lettersAt(cursor.text, at, 2)) ? endOf(SECRET, cursor, at) : 0;

/** What follows `Bearer` or `Basic`. */
export function scanBearer(cursor: Cursor, at: number): number {
  if (cursor.lead !== 0 || !cursor.unitHasDigit || !isBearer(wordBefore(cursor, 1))) return 0;
  return endOf(BEARER, cursor, at);
}

/** The id of the task at hand, wherever it stands alone. */
export function scanTask(cursor: Cursor, at: number): number {
  const { taskId } = cursor.context;
  if (taskId === undefined || taskId.length < 3) return 0;
  const end = at + taskId.length;
  if (cursor.text.slice(at, end).toLowerCase() !== taskId.toLowerCase()) return 0;
  return isWord(cursor.text.charCodeAt(end)) ? 0 : end;
}

/** `request id: abc`, `"session_id":"abc"`, `requestId=abc`: the value. */
export function scanLabelledId(cursor: Cursor, at: number): number {
  const { text, lead } = cursor;
  if ((lead !== 58 && lead !== 61) || !isIdLabel(text, cursor.lastFrom, cursor.lastTo)) return 0;
  const end = pastValue(text, at);
  if (cursor.quote || !cursor.spaced) return end;
  // `id: not found` says something; `id: Xy-1` does not.
  for (let i = at; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (isDigit(code) || (code > 64 && code < 91)) return end;
  }
  return 0;
}

/** `req_…`, `toolu_…`, `org-…`, `chatcmpl-…` without a digit. */
export function scanPrefixedId(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd - at > 80) return 0;
  let mark = at + 3;
  while (mark < at + 8 && isWord(text.charCodeAt(mark)) && text.charCodeAt(mark) !== 95) mark += 1;
  if (text.charCodeAt(mark) !== 95 && text.charCodeAt(mark) !== 45) return 0;
  return PREFIXED.test(text.slice(at, unitEnd)) ? unitEnd : 0;
}

/** `key=value`, unless the key says that the value tells. */
export function scanValue(cursor: Cursor, at: number): number {
  const { text, lead, quote } = cursor;
  if (lead !== 61 || cursor.spaced || cursor.lastFrom === cursor.lastTo || TELLING_KEYS.has(wordBefore(cursor, 1)))
    return 0;
  if (quote) {
    const close = text.slice(at, at + 200).indexOf(String.fromCharCode(quote));
    if (close > 0) return at + close;
  }
  return pastValue(text, at);
}

/** `server 'x'`, `'x' model`: the name. */
export function scanName(cursor: Cursor, at: number): number {
  const { text, quote, lead } = cursor;
  const close = text.slice(at, at + 120).indexOf(String.fromCharCode(quote));
  if (close <= 0) return 0;
  const end = at + close;
  return (lead === 0 && NAMED_THINGS.has(wordBefore(cursor, 1))) || NAMED_AFTER.has(wordAfter(cursor, end + 1))
    ? end
    : 0;
}

/** `models/x`: the name. */
export function scanModel(cursor: Cursor, _at: number): number {
  return cursor.lead === 47 && !cursor.spaced && /^models?$/.test(wordBefore(cursor, 1)) ? cursor.unitEnd : 0;
}

/** `spawn x ENOENT`: without the error word. */
export function scanSpawned(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd !== at + 5 || text.charCodeAt(unitEnd) !== 32) return 0;
  const spawned = /^[Ss]pawn ([\w./\\:-]{1,200}) E[A-Z]{4}/.exec(text.slice(at, at + 212));
  return spawned ? at + 6 + (spawned[1] as string).length : 0;
}

/** `@scope/package`. */
export function scanPackage(cursor: Cursor, at: number): number {
  const { text } = cursor;
  if (isWord(text.charCodeAt(at - 1)) || !isWord(text.charCodeAt(at + 1))) return 0;
  let end = at + 1;
  let slash = 0;
  for (; ; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 47 && !slash) slash = end;
    else if (!isWord(code) && code !== 45 && code !== 46) break;
  }
  return slash && end > slash + 1 ? end : 0;
}

/** The word "error" as a mere label: `ERROR:`, `[ERROR]`. It is there in one rendering and missing in the next. */
export function scanLevel(cursor: Cursor, at: number): number {
  const { text, unitEnd, lead } = cursor;
  if (unitEnd - at > 5 || unitEnd - at < 3 || cursor.quote) return 0;
  const next = text.charCodeAt(unitEnd);
  if (next !== 58 && !(next === 93 && lead === 91)) return 0;
  return LEVELS.has(text.slice(at, unitEnd).toLowerCase()) ? unitEnd : 0;
}

/** Seven or more hex digits, though none of them is a figure. */
export const scanHex = (cursor: Cursor, at: number): number =>
  cursor.unitIsHex && cursor.unitEnd - at >= 7 ? cursor.unitEnd : 0;

/** Base64 and the like: long, and as many capitals as small letters. */
export function scanRandom(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd - at < 32) return 0;
  let capitals = 0;
  for (let i = at; i < unitEnd; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 64 && code < 91) capitals += 1;
    else if (code === 95 || code === 45 || code === 46) return 0;
  }
  const share = capitals / (unitEnd - at);
  return share > 0.3 && share < 0.7 ? unitEnd : 0;
}

/** Any unit with a digit in it, save the names that everybody knows. */
export function scanNumber(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (!cursor.unitHasDigit) return 0;
  return unitEnd - at < 9 && !isDigit(text.charCodeAt(at)) && KNOWN.has(text.slice(at, unitEnd).toLowerCase())
    ? 0
    : unitEnd;
}

const isBearer = (word: string): boolean => word === 'bearer' || word === 'basic';

function isIdLabel(text: string, from: number, to: number): boolean {
  if (to - from < 2 || (text.charCodeAt(to - 1) | 32) !== 100 || (text.charCodeAt(to - 2) | 32) !== 105) return false;
  const before = text.charCodeAt(to - 3);
  return to - from === 2 || before === 95 || before === 45 || (text.charCodeAt(to - 2) === 73 && before > 96);
}

function pastValue(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 128 ? VALUE_STOPS[code] : isSpace(code) || (kindOf(code) === 0 && !isLetter(code))) break;
  }
  return end;
}

function endOf(pattern: RegExp, cursor: Cursor, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(cursor.text) ? pattern.lastIndex : 0;
}

const VALUE_STOPS = new Uint8Array(128).fill(1, 0, 33);
for (const sign of '"\'`,;)}]<>|\\\x7f') VALUE_STOPS[sign.charCodeAt(0)] = 1;

const PREFIXED =
  /^(?:(?:org|proj)-\w[\w-]{3,}|(?:req|call|toolu|msg|resp|chatcmpl|sess|run|thread|evt|asst|trace|batch)[-_](?:(?=[a-z]*[A-Z])[A-Za-z]{8,}|[A-Za-z]{16,}))$/;
const TELLING_KEYS = new Set(
  'error err reason code status type message msg level kind cause errno signal result detail details title category errortype error_type error_code desc description'.split(
    ' ',
  ),
);
const NAMED_THINGS = new Set(
  'server servers model models package user host organization organisation project account deployment container extension'.split(
    ' ',
  ),
);
const NAMED_AFTER = new Set(['model', 'server']);
const LEVELS = new Set(['error', 'fatal', 'err', 'err!']);
const KNOWN = new Set(
  'oauth2 oauth1 sha1 sha256 sha512 md5 utf8 utf-8 utf16 base64 ipv4 ipv6 http2 http3 x509 s3 ec2 k8s x64 x86_64 arm64 win32 log4j auth0 h2 i18n tls1'.split(
    ' ',
  ),
);
