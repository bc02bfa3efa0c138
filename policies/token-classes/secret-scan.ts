// Finds what must not be shown: secrets, and what was put in the place of one; and the placeholders of an earlier pass.

import { isWord } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { KEY_FORMATS } from '../scan/key-formats.ts';
import { endOf, patternAt } from '../scan/pattern.ts';
import { codeBefore } from '../scan/read-units.ts';
import { isAfter, isOneOf, wordsOf } from '../scan/words.ts';

const PLACEHOLDER = patternAt(
  String.raw`<(?:path|url|mail|host|time|secret|task|prompt|name|v|n|wait:[smh]|code:[\w-]{1,60})>`,
);
const REDACTED = patternAt(String.raw`\[REDACTED:[^\]\s]{1,80}\]`);

/** How a secret begins, by the characters that it may go on with. */
const SECRETS = (['*-', '', '.-'] as const).map((goesOn) => ({
  heads: patternAt(KEY_FORMATS.flatMap(({ heads }) => heads?.[goesOn] ?? []).join('|')),
  goesOn,
}));

/** The first two letters of each, and those of a JWT. */
const PAIRS = KEY_FORMATS.filter(({ heads }) => heads !== null).flatMap(({ prefixes }) => prefixes);
const SECRET_PAIRS = wordsOf(
  [...new Set(['ey', ...PAIRS.map((prefix) => prefix.slice(0, 2).toLowerCase())])].join(' '),
);

/** What stands like a placeholder in the text is one: codes and waits of an earlier pass stay, the others go. */
export const scanPlaceholder = ({ text }: Cursor, at: number): number => endOf(PLACEHOLDER, text, at);

export const scanRedacted = ({ text }: Cursor, at: number): number => endOf(REDACTED, text, at);

/** `sk-...FghN`, `gAAA...Q==`: a secret of which only the ends are shown. */
export function scanShortened({ codes, unitEnd }: Cursor, at: number): number {
  let from = unitEnd;
  if (codes[from] === DASH) from += 1;
  if (unitEnd - at > 12 || codes[from] !== DOT || codes[from + 1] !== DOT || codes[from + 2] !== DOT) return 0;
  from += 3;
  let end = from;
  let isTelling = isOneOf(SHORT_HEADS, codes, at, unitEnd);
  for (; isWord(codes[end]!); end += 1) if (codes[end]! < 91) isTelling = true;
  if (end === from || !isTelling) return 0;
  while (codes[end] === EQUALS) end += 1;
  return end;
}

const [DASH, DOT, EQUALS] = [45, 46, 61];
const SHORT_HEADS = wordsOf('sk key');

/** `sk-…`, `ghp_…`, `AIza…`, a JWT. */
export function scanSecret(cursor: Cursor, at: number): number {
  const { text, codes } = cursor;
  if (!isOneOf(SECRET_PAIRS, codes, at, at + 2)) return 0;
  for (const { heads, goesOn } of SECRETS) {
    let end = endOf(heads, text, at);
    if (end === 0) continue;
    while (isWord(codes[end]!) || goesOn.includes(String.fromCharCode(codes[end]!))) end += 1;
    return end;
  }
  return scanJwt(cursor, at);
}

/** `eyJ…` up to a dot, and what follows it. Only one begins in a run of its letters, so none is read twice. */
function scanJwt(cursor: Cursor, at: number): number {
  const { codes } = cursor;
  if (codes[at] !== 101 || codes[at + 1] !== 121 || codes[at + 2] !== 74 || codeBefore(cursor, at) === 45) return 0;
  let end = at + 3;
  while (isWord(codes[end]!) || codes[end] === 45) end += 1;
  if (end < at + 11 || codes[end] !== 46 || !isWord(codes[end + 1]!)) return 0;
  while (isWord(codes[end]!) || codes[end] === 45 || codes[end] === 46) end += 1;
  return end;
}

/** What follows `Bearer` or `Basic`. */
export function scanBearer(cursor: Cursor, at: number): number {
  if (cursor.lead !== 0 || !cursor.unitHasDigit || !isAfter(BEARERS, cursor)) return 0;
  const { codes } = cursor;
  let end = at;
  while (isWord(codes[end]!) || (codes[end]! < 128 && IN_BEARER[codes[end]!])) end += 1;
  return end - at < 16 ? 0 : end;
}

const BEARERS = wordsOf('bearer basic');
const IN_BEARER = new Uint8Array(128);
for (const sign of '.~+/=-') IN_BEARER[sign.charCodeAt(0)] = 1;
