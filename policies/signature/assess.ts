// Classifies a line in one pass over its characters.

import {
  byHead,
  codesOf,
  headAt,
  headOf,
  isAsciiLetter,
  isCapital,
  isSmall,
  isSpace,
  KIND,
  LETTER,
} from './characters.ts';
import { FAILURE_HEADS, hasStatusAtHead, LINE_KINDS, type LineKind, tellsFailure } from './line-kinds.ts';
import { type Level, mayBeTime } from './log-head.ts';

export interface AssessedLine {
  text: string;
  kind: LineKind | null;
  /** Whether it says that something failed. The words of a line of a known kind do not count. */
  bearsError: boolean;
  /** The level that a logger gave it. */
  level?: Level;
}

export const assess = (text: string): AssessedLine => lineOf(text, survey(text));

/** Whether a line says that something failed. */
export const isErrorBearing = (text: string): boolean => (survey(text) & FAILURE) !== 0 || hasStatusAtHead(text);

/** Row `i` of the kinds is bit `i` of a survey's result; the flags below use the bits above the kinds. */
export const FAILURE = 1 << 30;
/** The line has more than plain ASCII, so a reader may see something different. */
export const ODD = 1 << 29;
/** The line has a letter. */
export const LETTERED = 1 << 28;
/** The line has an opening brace or bracket. */
export const BRACED = 1 << 27;
/** A word begins like `Codex`. */
export const NAMES_CODEX = 1 << 26;
/** The line may begin with a time: most lines do not. */
export const TIMED = 1 << 25;
const KINDS = TIMED - 1;

/** By the head of a line's first word, and of any word: the kinds that it may be of. */
const BEGINNING = byHead();
const HOLDING = byHead();
/** By the head of any word whether more may be known of it: most heads are in no table. */
const KNOWN = new Uint8Array(HOLDING.length);
/** The same by a sign; the last place is for all signs beyond ASCII. */
const BEYOND_ASCII = 128;
const BEGINNING_SIGN = new Int32Array(BEYOND_ASCII + 1);
const HOLDING_SIGN = new Int32Array(BEYOND_ASCII);
LINE_KINDS.forEach(({ begins = [], words = [] }, i) => {
  for (const word of begins) note(word, BEGINNING, BEGINNING_SIGN, i);
  for (const word of words) {
    note(word, HOLDING, HOLDING_SIGN, i);
    if (isAsciiLetter(word.charCodeAt(0))) KNOWN[headOf(word)] = 1;
  }
});
for (let code = 0; code < 32; code += 1) if (code !== 9) HOLDING_SIGN[code] = ODD;
HOLDING_SIGN[127] = ODD;
HOLDING_SIGN[95] = LETTERED;
HOLDING_SIGN[123]! |= BRACED;
HOLDING_SIGN[91]! |= BRACED;
HOLDING[headOf('Codex')]! |= NAMES_CODEX;
for (const head of [headOf('Codex'), ...FAILURE_HEADS]) KNOWN[head] = 1;

function note(word: string, heads: Int32Array, signs: Int32Array, row: number): void {
  const first = word.charCodeAt(0);
  if (isAsciiLetter(first)) heads[headOf(word)]! |= 1 << row;
  else signs[Math.min(first, BEYOND_ASCII)]! |= 1 << row;
}

/** Finds the kinds that a line may be of, and what else is in it. Reads only the beginning of a word. */
export function survey(line: string): number {
  const codes = codesOf(line);
  const end = line.length;
  let at = 0;
  while (codes[at] === 32) at += 1;
  while (at < end && isSpace(codes[at]!)) at += 1;
  const first = codes[at]!;
  let found = isAsciiLetter(first) ? BEGINNING[headAt(codes, at)]! : BEGINNING_SIGN[Math.min(first, BEYOND_ASCII)]!;
  if (mayBeTime(first, codes[at + 1]!, codes[at + 3]!)) found |= TIMED;
  for (at = 0; at < end; ) {
    const code = codes[at]!;
    if (isAsciiLetter(code)) {
      found |= LETTERED;
      const head = headAt(codes, at);
      if (KNOWN[head] !== 0) found |= HOLDING[head]!;
      if ((found & FAILURE) === 0 && (KNOWN[head] !== 0 || isCapital(codes[at + 1]!)))
        if (tellsFailure(line, at, codes)) found |= FAILURE;
      at = pastPart(codes, at);
    } else {
      found |= code < BEYOND_ASCII ? HOLDING_SIGN[code]! : KIND[code]! & LETTER ? ODD | LETTERED : ODD;
      at += 1;
    }
  }
  return found;
}

/** Past the word, or past the part of a name at whose end a capital begins the next: `Timeout` of `TimeoutError`. */
function pastPart(codes: Uint16Array, from: number): number {
  let at = from;
  if (codes[at]! > 96) {
    do at += 1;
    while (isSmall(codes[at]!));
    return at;
  }
  while (isCapital(codes[at]!)) at += 1;
  // `CAPI` of `CAPIError`.
  if (at - from > 1 && isSmall(codes[at]!)) return at - 1;
  while (isSmall(codes[at]!)) at += 1;
  return at;
}

/** Classifies a line from the result of its survey. */
export function lineOf(text: string, found: number): AssessedLine {
  const kind = (found & KINDS) === 0 ? null : kindAmong(found & KINDS, text);
  if (kind && !kind.unlessError) return { text, kind, bearsError: false };
  const bearsError = (found & FAILURE) !== 0 || hasStatusAtHead(text);
  return { text, kind: bearsError ? null : kind, bearsError };
}

function kindAmong(kinds: number, text: string): LineKind | null {
  const first = text.charCodeAt(0);
  const trimmed = first > 32 && first < 127 ? text : text.trimStart();
  for (let remaining = kinds; remaining !== 0; remaining &= remaining - 1) {
    const kind = LINE_KINDS[31 - Math.clz32(remaining & -remaining)]!;
    if (kind.pattern.test(kind.indented ? text : trimmed)) return kind;
  }
  return null;
}
