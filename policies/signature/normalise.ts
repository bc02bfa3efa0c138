// Brings a text to its normal form, words in lower case and nothing volatile, by one ordered table of token classes.

import { stripInvisible } from './bare.ts';
import { KIND, SPACE } from './characters.ts';
import { FIGURES } from './figure-classes.ts';
import { MARKED } from './marked-classes.ts';
import { NAMES } from './name-classes.ts';
import { PLACES } from './place-classes.ts';
import { BEYOND, type ScanContext, START, type TokenClass, type TokenPlace, UNIT, WORD } from './token-class.ts';

/**
 * All token classes, in the order in which they are tried: what is volatile in an error, and what is significant. More specific
 * ones come first: masking dates before paths, or clock times before IPv6, costs half the accuracy.
 */
export const TOKEN_CLASSES: readonly TokenClass[] = [...MARKED, ...PLACES, ...FIGURES, ...NAMES];

/** One word or token of the text, in its order. */
export interface Step {
  /** The class that masked it; null = it was kept. */
  class: string | null;
  /** What represents it in the normal form; '' = nothing. */
  put: string;
  /** At most 120 characters of the text; for a secret, only its placeholder. */
  piece: string;
  from: number;
  to: number;
}

/** Never throws, and is idempotent. `limit`: characters of output, about; `trace` receives the fate of each word. */
export function normalise(
  text: string,
  context: ScanContext = {},
  limit = Number.POSITIVE_INFINITY,
  trace: Step[] | null = null,
): string {
  return read(withoutPrompt(stripInvisible(text), context.prompt), context, limit, trace);
}

const UNIT_AT = new RegExp(`${UNIT}|[${BEYOND}]{1,2000}`, 'y');
/** A figure with letters after it, possibly a unit. */
const AMOUNT = /\d[\d.,]{0,25}[\s-]{0,3}[a-zµμ]/iy;
/** `\n`, `\"` and `\u001b` of JSON inside a string, however often it was escaped: the letter is not text. */
const ESCAPE = /\\+(?:[nrt]|u[\da-fA-F]{4})?/y;

/** Returns the normal form of a text from which invisible characters were removed. */
export function read(
  text: string,
  context: ScanContext = {},
  limit = Number.POSITIVE_INFINITY,
  trace: Step[] | null = null,
): string {
  const words: string[] = [];
  let size = 0;
  let lastPut = '';
  let runEnd = 0;
  let features = 0;
  const place: TokenPlace = {
    text,
    at: 0,
    unitEnd: 0,
    last: '',
    older: '',
    lead: START,
    spaced: false,
    quote: '',
    context,
  };

  const add = (word: string) => {
    words.push(word);
    size += word.length + 1;
  };
  const advance = (word: string, to: number) => {
    place.older = place.last;
    place.last = word;
    place.lead = place.quote = '';
    place.spaced = text.charCodeAt(to) === 32;
    place.at = place.spaced ? to + 1 : to;
  };
  const mask = (row: TokenClass, end: number) => {
    const { at } = place;
    const piece = text.slice(at, end);
    const put = typeof row.put === 'string' ? row.put : row.put(piece, place);
    const kept = keptOf(put);
    // A list counts as one, but each code counts.
    const isNew = kept !== '' && (kept !== lastPut || kept.startsWith('<code'));
    if (isNew) {
      add(kept);
      lastPut = kept;
    }
    const shown = row.isSecret ? put : piece.slice(0, MAX_PIECE);
    trace?.push({ class: row.name, put: isNew ? kept : '', piece: shown, from: at, to: end });
    // A dropped label such as "error" still counts as the preceding word: `ERROR: 500`.
    advance(put === '' ? piece : '', end);
  };
  const pass = () => {
    const { at, unitEnd } = place;
    const word = text.slice(at, unitEnd);
    add(word);
    lastPut = '';
    const piece = word.slice(0, MAX_PIECE);
    trace?.push({ class: null, put: piece.toLowerCase(), piece, from: at, to: unitEnd });
    advance(word, unitEnd);
  };

  while (place.at < text.length && size <= limit) {
    const { at } = place;
    const code = text.charCodeAt(at);
    if (KIND[code]! & SPACE) {
      place.spaced = true;
      place.quote = '';
      place.at = at + 1;
      continue;
    }
    if (at >= runEnd) {
      features = 0;
      for (runEnd = at; runEnd < text.length && !(KIND[text.charCodeAt(runEnd)]! & SPACE); runEnd += 1)
        features |= SIGNS[text.charCodeAt(runEnd)] ?? 0;
      if (runEnd - at > 6) features |= LONG;
    }
    const isJoint = at < place.unitEnd && (code === 45 || code === 46);
    if (at >= place.unitEnd) place.unitEnd = endAt(UNIT_AT, text, at);
    let has = features | standing(place);
    if (code > 47 && code < 58 && endAt(AMOUNT, text, at) > 0) has |= AMOUNTS;
    let end = 0;
    for (const candidate of candidatesAt(code, has)) {
      end = tokenEnd(candidate, place);
      if (end <= at) continue;
      mask(candidate.row, end);
      break;
    }
    if (end > at) continue;
    if (place.unitEnd > at && !isJoint) pass();
    else passSign(place);
  }
  return words.join(' ').toLowerCase();
}

const MAX_PIECE = 120;

function endAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

/** A class and its pattern, compiled on first use: most texts need few patterns. */
interface Candidate {
  row: TokenClass;
  pattern: RegExp | null;
}

const CANDIDATES: readonly Candidate[] = TOKEN_CLASSES.map((row) => ({ row, pattern: null }));

/** Patterns by source: classes with the same source share one. */
const PATTERNS = new Map<string, RegExp>();

function patternOf(source: string, flags: 'y' | 'iy'): RegExp {
  const pattern = PATTERNS.get(source) ?? new RegExp(source, flags);
  PATTERNS.set(source, pattern);
  return pattern;
}

/** The offset past the token of this class at this place, or 0. */
function tokenEnd(candidate: Candidate, place: TokenPlace): number {
  const { row } = candidate;
  const { text, at, unitEnd } = place;
  if (row.given && !row.given(place)) return 0;
  let end = unitEnd;
  if (row.find) end = row.find(place);
  else if (row.is !== null) {
    candidate.pattern ??= patternOf(row.is, row.flags ?? 'y');
    end = endAt(candidate.pattern, text, at);
  }
  if (end <= at || (row.whole && end !== unitEnd)) return 0;
  return row.when && !row.when(text.slice(at, end), place, end) ? 0 : end;
}

// What a class `needs`, as bits. `NEEDS` has one letter for each.
const NEEDS = '/:@.=~07L"TU';
const bitsOf = (needs: string): number => [...needs].reduce((bits, one) => bits | (1 << NEEDS.indexOf(one)), 0);
const [SLASH, DIGIT, LONG, LABEL, QUOTE, TASK, AMOUNTS] = [...'/07L"TU'].map(bitsOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** The features that each ASCII character gives to the run of text that contains it. */
const SIGNS = Uint16Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  if (sign === '\\') return SLASH;
  return /\d/.test(sign) ? DIGIT : '/:@.=~'.includes(sign) ? bitsOf(sign) : 0;
});

const standing = ({ lead, quote, context }: TokenPlace): number =>
  (lead === ':' || lead === '=' ? LABEL : 0) | (quote === '' ? 0 : QUOTE) | (context.taskId === undefined ? 0 : TASK);

/** The classes that may begin there, in order, by first character (128 = any letter beyond ASCII) and features. */
const TRIED: (readonly Candidate[] | undefined)[][] = Array.from({ length: 129 }, () => []);

function candidatesAt(code: number, features: number): readonly Candidate[] {
  const first = Math.min(code, 128);
  const byFeatures = TRIED[first]!;
  const known = byFeatures[features];
  if (known !== undefined) return known;
  const sign = first === 128 ? WORD : String.fromCharCode(first);
  const rows = CANDIDATES.filter(({ row: { begins, needs = '' } }) => {
    const bits = bitsOf(needs);
    return (bits & features) === bits && begins.includes(sign);
  });
  byFeatures[features] = rows;
  return rows;
}

/** Keeps only the placeholders of codes and waits: the presence of other volatile text carries no information. */
function keptOf(put: string): string {
  if (put.startsWith('<code') || put.startsWith('<wait')) return put;
  const at = put.indexOf('<');
  return at === -1 ? put : put.slice(0, at).trimEnd();
}

function passSign(place: TokenPlace): void {
  const { text, at } = place;
  const sign = text.charAt(at);
  place.at = at + 1;
  if (sign === '\\') {
    place.at = endAt(ESCAPE, text, at);
    if (/[nrt]$/.test(text.slice(at, place.at))) place.spaced = true;
  } else if (sign === '"' || sign === "'" || sign === '`') place.quote = sign;
  else {
    place.lead = sign;
    place.spaced = false;
    place.quote = '';
  }
}

/** Also removes a word such as `user:` before the prompt. */
function withoutPrompt(text: string, prompt: string | undefined): string {
  const echo = prompt?.trim() ?? '';
  if (echo.length < 24 || !text.includes(echo)) return text;
  return text.split(echo).join(ECHO).replace(LABELLED_ECHO, ' ').replaceAll(ECHO, ' ');
}

/** A character of the private use area, which no text contains. */
const ECHO = '\uf8ff';
const LABELLED_ECHO = new RegExp(`^\\W{0,4}(?:\\w{1,12}\\W{1,3})?${ECHO}`, 'gm');

/** Replaces each secret with a placeholder. */
export function withoutSecrets(line: string): string {
  const text = stripInvisible(line);
  const steps: Step[] = [];
  read(text, {}, Number.POSITIVE_INFINITY, steps);
  let shown = '';
  let from = 0;
  for (const step of steps.filter((one) => SECRET.has(one.class))) {
    shown += text.slice(from, step.from) + step.piece;
    from = step.to;
  }
  return shown + text.slice(from);
}

const SECRET: ReadonlySet<string | null> = new Set(
  TOKEN_CLASSES.filter(({ isSecret }) => isSecret === true).map(({ name }) => name),
);
