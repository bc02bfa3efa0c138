// Finds network addresses and identifiers with a shape of their own: URLs, mail, MAC, IP, host names, UUIDs.

import { isDigit, isLetter, isWord, kindOf, SPACE, TRAIL } from './characters.ts';
import type { Cursor } from './cursor.ts';

const COLON = 58;
const DOT = 46;
const SLASH = 47;

/** `https://host:1/x?y=z`; what closes a sentence or a bracket is not part of it. */
export function scanUrl(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (text.charCodeAt(unitEnd) !== COLON || text.charCodeAt(unitEnd + 1) !== SLASH) return 0;
  if (text.charCodeAt(unitEnd + 2) !== SLASH || unitEnd - at > 12 || text.slice(at, unitEnd) === 'file') return 0;
  // The brackets of an IPv6 host, which end a URL elsewhere.
  const host = text.charCodeAt(unitEnd + 3) === 91 ? text.slice(unitEnd + 3, unitEnd + 60).indexOf(']') + 1 : 0;
  return trimmed(text, pastVisible(text, unitEnd + 3 + host));
}

/** `a.b@example.com`, `root@host`. */
export function scanMail(cursor: Cursor, _at: number): number {
  const { text, unitEnd } = cursor;
  const first = text.charCodeAt(unitEnd + 1);
  if (text.charCodeAt(unitEnd) !== 64 || !isWord(first) || isDigit(first)) return 0;
  let end = unitEnd + 1;
  while (isWord(text.charCodeAt(end)) || text.charCodeAt(end) === DOT || text.charCodeAt(end) === 45) end += 1;
  return trimmed(text, end);
}

/** MAC and IPv6, and the groups of hex digits that GitHub and others use as request ids. */
export function scanHexGroups(cursor: Cursor, at: number): number {
  const { text } = cursor;
  const from = text.charCodeAt(at) === 91 ? at + 1 : at;
  const before = text.charCodeAt(at - 1);
  if (isWord(before) || before === COLON) return 0;
  let end = from;
  let colons = 0;
  let digits = 0;
  let short = false;
  for (let size = 0; ; end += 1) {
    const code = text.charCodeAt(end);
    if (code === COLON) {
      colons += 1;
      if (size === 0 && end > from) short = true;
      size = 0;
    } else if (isHex(code) || (code === DOT && colons > 1)) {
      size += 1;
      if (isDigit(code)) digits += 1;
    } else break;
  }
  if (text.charCodeAt(end - 1) === COLON && text.charCodeAt(end - 2) !== COLON) end -= 1;
  if (isWord(text.charCodeAt(end)) || end - from > 64 || colons < 2 || !(digits || colons > 3)) return 0;
  if (!short && colons !== 4 && colons !== 5 && colons !== 7) return 0;
  if (from === at) return end;
  return text.charCodeAt(end) === 93 ? pastPort(text, end + 1) : 0;
}

/** `127.0.0.1:8080`, `10.0.0.0/8`. */
export function scanIpv4(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd - at < 7 || unitEnd - at > 15 || !isDigit(text.charCodeAt(at))) return 0;
  let group = 0;
  let dots = 0;
  for (let i = at; i < unitEnd; i += 1) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      dots += 1;
      group = 0;
    } else if (isDigit(code) && group <= 255) group = group * 10 + code - 48;
    else return 0;
    if (group > 255) return 0;
  }
  return dots === 3 ? pastPort(text, unitEnd) : 0;
}

/** `api.example.com:443/v1`. Dotted names with another ending are names in a program. */
export function scanHost(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  let dot = unitEnd - 1;
  while (dot > at && dot > unitEnd - 13 && text.charCodeAt(dot) !== DOT) dot -= 1;
  if (dot === at || text.charCodeAt(dot) !== DOT) return 0;
  if (!TOP_LEVEL.has(text.slice(dot + 1, unitEnd).toLowerCase()) || TOP_LEVEL.has(firstLabel(text, at))) return 0;
  return pastPort(text, unitEnd);
}

export function scanLocalhost(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  return unitEnd - at === 9 && text.slice(at, unitEnd).toLowerCase() === 'localhost' ? pastPort(text, unitEnd) : 0;
}

/** `123e4567-e89b-12d3-a456-426614174000`, in either case. */
export function scanUuid(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (unitEnd - at !== 36 || text.charCodeAt(at + 8) !== 45 || text.charCodeAt(at + 13) !== 45) return 0;
  return text.charCodeAt(at + 18) === 45 && text.charCodeAt(at + 23) === 45 ? unitEnd : 0;
}

const isHex = (code: number): boolean => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

const firstLabel = (text: string, at: number): string => text.slice(at, text.indexOf('.', at)).toLowerCase();

/** Past `:8080` and a path behind it. */
function pastPort(text: string, from: number): number {
  let end = from;
  if (text.charCodeAt(end) === COLON && isDigit(text.charCodeAt(end + 1))) {
    end += 2;
    while (isDigit(text.charCodeAt(end))) end += 1;
  }
  if (text.charCodeAt(end) !== SLASH) return end;
  while (kindOf(text.charCodeAt(end)) & TRAIL) end += 1;
  return trimmed(text, end);
}

function pastVisible(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 128 ? STOPS[code] : kindOf(code) & SPACE || !isLetter(code)) break;
  }
  return end;
}

function trimmed(text: string, end: number): number {
  let past = end;
  while ('.,;:!?'.includes(text.charAt(past - 1))) past -= 1;
  return past;
}

const STOPS = new Uint8Array(128).fill(1, 0, 33);
for (const sign of '"\'`<>()[]{}|\\^\x7f') STOPS[sign.charCodeAt(0)] = 1;

const TOP_LEVEL = new Set(
  'com org net io dev ai edu gov cloud uk de fr cn jp ru eu nl ch at be au ca br kr local internal lan localdomain corp google goog'.split(
    ' ',
  ),
);
