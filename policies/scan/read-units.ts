// Reads the text under a cursor: runs, units, and what they may hold.

import { DIGIT, FEATURES, HAS, HEX, isDigit, isWord, JOINT, KIND, LETTER, SPACE, WORD } from './characters.ts';
import { codesOf } from './codes.ts';
import { type Cursor, type ScanContext, START } from './cursor.ts';
import type { Step } from './step.ts';
import { unitFeatures } from './units.ts';

export function openCursor(
  text: string,
  context: ScanContext,
  trace: Step[] | null = null,
  codes = codesOf(text),
): Cursor {
  return {
    text,
    codes,
    unitEnd: 0,
    unitHasDigit: false,
    unitIsJoined: false,
    unitIsHex: false,
    lastDigit: -1,
    lastJoint: -1,
    lastOther: -1,
    knownEnd: 0,
    features: 0,
    runEnd: 0,
    runIsPlain: false,
    lead: START,
    spaced: false,
    quote: 0,
    lastFrom: 0,
    lastTo: 0,
    olderFrom: 0,
    olderTo: 0,
    context,
    trace,
  };
}

/** Reads the run of visible characters that begins at `at`, once for each run; a run that is one word is a unit too. */
export function readRun(cursor: Cursor, at: number): void {
  const { codes } = cursor;
  let any = 0;
  let all = WORD | HEX;
  let end = at;
  for (; ; end += 1) {
    const kind = KIND[codes[end]!]!;
    if (kind & SPACE) break;
    any |= kind;
    all &= kind;
  }
  cursor.features = any >> FEATURES;
  cursor.runEnd = end;
  cursor.runIsPlain = (all & WORD) !== 0 && (any & DIGIT) === 0;
  if (all & WORD) closeUnit(cursor, end, any, all);
}

/** Reads the unit at `at`: ASCII words joined by single `-` or `.`, or a run of letters of another script. */
export function readUnit(cursor: Cursor, at: number): void {
  const { codes } = cursor;
  let any = 0;
  let all = WORD | HEX;
  let end = at;
  let kind = KIND[codes[end]!]!;
  if (kind & LETTER) {
    while (KIND[codes[end]!]! & LETTER) end += 1;
  } else {
    while (kind & WORD || (kind & JOINT && isWord(codes[end + 1]!))) {
      any |= kind;
      all &= kind;
      end += 1;
      kind = KIND[codes[end]!]!;
    }
  }
  closeUnit(cursor, end, any, all);
}

/** What is left of a unit of which a part was eaten: the unit is read once more, however many parts are eaten of it. */
export function readRest(cursor: Cursor, at: number): void {
  const { codes, unitEnd } = cursor;
  if (cursor.knownEnd !== unitEnd) {
    cursor.knownEnd = unitEnd;
    cursor.lastDigit = cursor.lastJoint = cursor.lastOther = -1;
    for (let i = at; i < unitEnd; i += 1) {
      const kind = KIND[codes[i]!]!;
      if (kind & DIGIT) cursor.lastDigit = i;
      if (kind & JOINT) cursor.lastJoint = i;
      if (!(kind & HEX)) cursor.lastOther = i;
    }
  }
  cursor.unitHasDigit = cursor.lastDigit >= at;
  cursor.unitIsJoined = cursor.lastJoint >= at;
  cursor.unitIsHex = cursor.lastOther < at;
}

function closeUnit(cursor: Cursor, end: number, any: number, all: number): void {
  cursor.unitEnd = end;
  cursor.unitHasDigit = (any & DIGIT) !== 0;
  cursor.unitIsJoined = (any & JOINT) !== 0;
  cursor.unitIsHex = any !== 0 && (all & HEX) !== 0;
}

/** `HAS` bits of the word at `at`: those of its run, and how it stands. */
export function featuresOf(cursor: Cursor, at: number): number {
  const { codes, unitEnd } = cursor;
  let features = cursor.features | standingOf(cursor);
  const length = unitEnd - at;
  if (length > 6) features |= length > 31 ? HAS.length | HAS.great : HAS.length;
  if (cursor.runEnd - at > 15) features |= HAS.reach;
  if (cursor.unitIsJoined) features |= HAS.joined;
  const next = codes[unitEnd];
  const second = codes[unitEnd + 1]!;
  if (next === 58 || next === 93) features |= HAS.closed;
  if (isDigit(second) || isDigit(codes[unitEnd + 2]!)) features |= HAS.digitNext;
  if (cursor.unitHasDigit && isDigit(codes[at]!)) features |= unitFeatures(codes, at);
  return features;
}

/** `HAS` bits of what stands before the token, and of what is known about the text. */
export function standingOf({ lead, quote, context }: Cursor): number {
  const behind = (lead === 58 || lead === 61 ? HAS.label : 0) | (quote ? HAS.quote : 0);
  return context.taskId === undefined ? behind : behind | HAS.task;
}

/** The character right before `at`; white space before the first. */
export const codeBefore = ({ codes }: Cursor, at: number): number => (at === 0 ? 0 : codes[at - 1]!);

/** Where the word begins that follows `at` after spaces and light punctuation; what stands there may be no word. */
export function nextWord(codes: Uint16Array, at: number): number {
  let from = at;
  while (from < at + 4 && !isWord(codes[from]!)) from += 1;
  return from;
}

export function pastWord(codes: Uint16Array, from: number): number {
  let to = from;
  while (to < from + 40 && isWord(codes[to]!)) to += 1;
  return to;
}
