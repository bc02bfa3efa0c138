// Finds network addresses and identifiers with a shape of their own: URLs, mail, MAC, IP, host names, UUIDs.

import { DIGIT, HEX, isDigit, isLetter, isWord, kindOf, SPACE, TRAIL } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { codeBefore } from '../scan/read-units.ts';
import { isOneOf, wordsOf } from '../scan/words.ts';

const COLON = 58;
const DASH = 45;
const DOT = 46;
const SLASH = 47;

/** `https://host:1/x?y=z`; what closes a sentence or a bracket is not part of it. */
export function scanUrl({ codes, unitEnd }: Cursor, at: number): number {
  if (codes[unitEnd] !== COLON || codes[unitEnd + 1] !== SLASH || codes[unitEnd + 2] !== SLASH) return 0;
  if (unitEnd - at > 12 || isOneOf(FILE, codes, at, unitEnd)) return 0;
  return trimmed(codes, pastVisible(codes, pastHostInBrackets(codes, unitEnd + 3)));
}

const FILE = wordsOf('file');

/** The brackets of an IPv6 host, which end a URL elsewhere. */
function pastHostInBrackets(codes: Uint16Array, from: number): number {
  if (codes[from] !== 91) return from;
  let end = from + 1;
  while (end < from + 57 && codes[end] !== 93) end += 1;
  return codes[end] === 93 ? end + 1 : from;
}

/** `a.b@example.com`, `root@host`. */
export function scanMail({ codes, unitEnd }: Cursor, _at: number): number {
  const first = codes[unitEnd + 1]!;
  if (codes[unitEnd] !== 64 || !isWord(first) || isDigit(first)) return 0;
  let end = unitEnd + 1;
  while (isWord(codes[end]!) || codes[end] === DOT || codes[end] === DASH) end += 1;
  return trimmed(codes, end);
}

/** MAC and IPv6, and the groups of hex digits that GitHub and others use as request ids. */
export function scanHexGroups(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  const from = codes[at] === 91 ? at + 1 : at;
  const before = codeBefore(cursor, at);
  if (isWord(before) || before === COLON) return 0;
  let end = from;
  let colons = 0;
  let digits = 0;
  let short = false;
  for (let size = 0; end <= from + 66; end += 1) {
    const code = codes[end]!;
    if (code === COLON) {
      colons += 1;
      if (size === 0 && end > from) short = true;
      size = 0;
    } else if (kindOf(code) & HEX || (code === DOT && colons > 1)) {
      size += 1;
      if (kindOf(code) & DIGIT) digits += 1;
    } else break;
  }
  if (end > from && codes[end - 1] === COLON && codes[end - 2] !== COLON) end -= 1;
  if (isWord(codes[end]!) || end - from > 64 || colons < 2 || !(digits || colons > 3)) return 0;
  if (!short && colons !== 4 && colons !== 5 && colons !== 7) return 0;
  if (from === at) return end;
  return codes[end] === 93 ? pastPort(codes, end + 1) : 0;
}

/** `127.0.0.1:8080`, `10.0.0.0/8`. */
export function scanIpv4({ codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd - at < 7 || unitEnd - at > 15 || !isDigit(codes[at]!)) return 0;
  let group = 0;
  let dots = 0;
  for (let i = at; i < unitEnd; i += 1) {
    const code = codes[i]!;
    if (code === DOT) {
      dots += 1;
      group = 0;
    } else if (isDigit(code) && group <= 255) group = group * 10 + code - 48;
    else return 0;
    if (group > 255) return 0;
  }
  return dots === 3 ? pastPort(codes, unitEnd) : 0;
}

/** Whether what begins at `at` is surely a host: an address, or a name with a known ending. */
export function isHostAt(codes: Uint16Array, at: number): boolean {
  if (isDigit(codes[at]!) || (codes[at] === COLON && codes[at + 1] === COLON)) return true;
  let end = at;
  let dot = at;
  for (; isWord(codes[end]!) || codes[end] === DASH || (codes[end] === DOT && isWord(codes[end + 1]!)); end += 1)
    if (codes[end] === DOT) dot = end;
  return dot > at && isOneOf(TOP_LEVEL, codes, dot + 1, end);
}

/** `api.example.com:443/v1`, `cache.node-a:443`. Dotted names with another ending and no port are names in a program. */
export function scanHost({ codes, unitEnd }: Cursor, at: number): number {
  let dot = unitEnd - 1;
  while (dot > at && dot > unitEnd - 13 && codes[dot] !== DOT) dot -= 1;
  if (dot === at || codes[dot] !== DOT) return 0;
  if (isPort(codes, unitEnd) && !isOneOf(CODE_KEYS, codes, dot + 1, unitEnd)) return pastPort(codes, unitEnd);
  if (!isOneOf(TOP_LEVEL, codes, dot + 1, unitEnd)) return 0;
  let first = at;
  while (codes[first] !== DOT) first += 1;
  return isOneOf(TOP_LEVEL, codes, at, first) ? 0 : pastPort(codes, unitEnd);
}

export const scanLocalhost = ({ codes, unitEnd }: Cursor, at: number): number =>
  isOneOf(LOCALHOST, codes, at, unitEnd) ? pastPort(codes, unitEnd) : 0;

const LOCALHOST = wordsOf('localhost');

/** `123e4567-e89b-12d3-a456-426614174000`, in either case. */
export function scanUuid({ codes, unitEnd }: Cursor, at: number): number {
  if (unitEnd - at !== 36 || codes[at + 8] !== DASH || codes[at + 13] !== DASH) return 0;
  return codes[at + 18] === DASH && codes[at + 23] === DASH ? unitEnd : 0;
}

/** `error.status:429` is no host. */
const CODE_KEYS = wordsOf('code status errno error exit statuscode status_code errorcode error_code');

/** `:443`, and no more of it. */
function isPort(codes: Uint16Array, at: number): boolean {
  if (codes[at] !== COLON || !isDigit(codes[at + 1]!)) return false;
  let end = at + 2;
  while (end < at + 7 && isDigit(codes[end]!)) end += 1;
  return end < at + 7 && !isWord(codes[end]!) && codes[end] !== COLON;
}

/** Past `:8080` and a path behind it. */
function pastPort(codes: Uint16Array, from: number): number {
  let end = from;
  if (codes[end] === COLON && isDigit(codes[end + 1]!)) {
    end += 2;
    while (isDigit(codes[end]!)) end += 1;
  }
  if (codes[end] !== SLASH || isMetric(codes, end + 1)) return end;
  while (kindOf(codes[end]!) & TRAIL) end += 1;
  return trimmed(codes, end);
}

/** `googleapis.com/generate_requests_per_minute`: the name of a limit, which tells. */
function isMetric(codes: Uint16Array, from: number): boolean {
  let underscores = 0;
  for (let at = from; ; at += 1) {
    const code = codes[at]!;
    if (code === 95) underscores += 1;
    else if (!(code > 96 && code < 123)) return underscores > 1 && !(kindOf(code) & TRAIL);
  }
}

function pastVisible(codes: Uint16Array, from: number): number {
  let end = from;
  for (; ; end += 1) {
    const code = codes[end]!;
    if (code < 128 ? STOPS[code] : kindOf(code) & SPACE || !isLetter(code)) break;
  }
  return end;
}

function trimmed(codes: Uint16Array, end: number): number {
  let past = end;
  while (codes[past - 1]! < 128 && CLOSES[codes[past - 1]!]) past -= 1;
  return past;
}

const STOPS = new Uint8Array(128).fill(1, 0, 33);
for (const sign of '"\'`<>()[]{}|\\^\x7f') STOPS[sign.charCodeAt(0)] = 1;

/** What closes a sentence. */
const CLOSES = new Uint8Array(128);
for (const sign of '.,;:!?') CLOSES[sign.charCodeAt(0)] = 1;

const TOP_LEVEL = wordsOf(
  'com org net io dev ai edu gov cloud uk de fr cn jp ru eu nl ch at be au ca br kr local internal lan localdomain corp google goog example test invalid app xyz info biz us es se pl eus tv intranet home svc cluster hk tw sg th vn mx ar cl co nz za tr gr pt cz ro hu fi dk ie ua no me cc mil arpa kz ph ir pk pe sk bg lt lv lu su',
);
