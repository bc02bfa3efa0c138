// Strips a raw line of what a terminal does not show, what a frame draws and what loggers put before it.

import { ODD, survey, surveyIn, TIMED } from './assess.ts';
import { isInk } from './characters.ts';
import { headOf, isTimeAlone, type Level, mayHaveHead } from './log-head.ts';
import { tidy } from './tidy.ts';

/** A line without what a logger put before it. */
export interface Bare {
  text: string;
  /** The result of `survey` for the text. */
  found: number;
  /** The number of characters that loggers put before it. */
  before: number;
  level: Level | null;
}

/** @param codes of a text in which the line is at `from` */
type BareReader = (codes: Uint16Array, from: number, line: string) => Bare;

/**
 * Reads a line as a reader sees it, without the heads of loggers: one logger may log what another has logged. Caches
 * recent lines, since a CLI repeats itself: each retry prints its stack, a flood its one line.
 */
export function createBareReader(maxLength: number): BareReader {
  const lines: string[] = new Array(REMEMBERED).fill('');
  const keys = new Int32Array(REMEMBERED);
  const known: Bare[] = new Array(REMEMBERED).fill(BLANK);
  return (codes, from, line) => {
    const key = keyOf(codes, from, line.length);
    const place = key & (REMEMBERED - 1);
    if (keys[place] !== key || lines[place] !== line) {
      known[place] = bareIn(codes, from, line, maxLength);
      lines[place] = line;
      keys[place] = key;
    }
    return known[place]!;
  };
}

/** Most lines differ by a time at the beginning or a figure at the end, so two whole lines are seldom compared. */
function keyOf(codes: Uint16Array, from: number, length: number): number {
  let key = length;
  for (let i = 0; i < length && i < MOST_KEYED; i += 1)
    key = (Math.imul(key, 31) + Math.imul(codes[from + i]!, 7) + codes[from + length - 1 - i]!) | 0;
  return key ^ (key >>> 8);
}

const MOST_KEYED = 8;

/** Few, since each line may keep in memory the piece of text that contains it. */
const REMEMBERED = 64;

function bareIn(codes: Uint16Array, from: number, raw: string, maxLength: number): Bare {
  const text = isInk(codes[from + raw.length - 1]!) ? raw : raw.trimEnd();
  if (text === '') return BLANK;
  const found = text.length > maxLength ? ODD : surveyIn(codes, from, text);
  // Most lines have neither odd characters nor a logger's head.
  if ((found & ODD) === 0 && ((found & TIMED) === 0 || !mayHaveHead(text)))
    return { text, found, before: 0, level: null };
  return withoutHeads(tidied(text, found, maxLength), maxLength);
}

const BLANK: Bare = { text: '', found: 0, before: 0, level: null };

function withoutHeads(line: Bare, maxLength: number): Bare {
  let { text, found, level, before } = line;
  for (let heads = 0; heads < MAX_HEADS; heads += 1) {
    const head = headOf(text);
    if (head.length === 0 || (head.length === text.length && isTimeAlone(text))) break;
    before += head.length;
    level = head.level ?? level;
    const rest = text.slice(head.length);
    ({ text, found } = tidied(rest, survey(rest), maxLength));
  }
  return { text, found, before, level };
}

const MAX_HEADS = 2;

function tidied(raw: string, found: number, maxLength: number): Bare {
  if ((found & ODD) === 0) return { text: raw, found, before: 0, level: null };
  const text = tidy(raw, maxLength);
  return { text, found: survey(text), before: 0, level: null };
}
