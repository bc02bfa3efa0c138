// Reduces a raw line to what a reader sees: without invisible characters, frames, and what loggers put before it.

import { ODD, survey, TIMED } from './assess.ts';
import { tellBodies } from './bodies.ts';
import { isInk } from './characters.ts';
import { headOf, isTimeAlone, type Level, mayHaveHead } from './log-head.ts';

/** A line without what a logger put before it. */
export interface Bare {
  text: string;
  /** The result of `survey` for the text. */
  found: number;
  /** The number of characters that loggers put before it. */
  before: number;
  level: Level | null;
}

/** Reads a line as a reader sees it, without the heads of loggers: one logger may log what another has logged. */
export function bareOf(raw: string, maxLength: number): Bare {
  const text = isInk(raw.charCodeAt(raw.length - 1)) ? raw : raw.trimEnd();
  if (text === '') return BLANK;
  const found = text.length > maxLength ? ODD : survey(text);
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

const INVISIBLE =
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g;

/** Removes ANSI sequences and zero-width characters. */
export function stripInvisible(text: string): string {
  return /[\x1b\x9b\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/.test(text) ? text.replace(INVISIBLE, '') : text;
}

/**
 * Returns at most `maxLength` characters of what a terminal shows of a line: the text after the last carriage return,
 * without ANSI sequences, and without a leading frame or bullet. Only shortens a line of plain ASCII.
 */
export function tidy(raw: string, maxLength: number): string {
  let line = raw.trimEnd();
  const shown = line.lastIndexOf('\r', line.length - 2);
  if (shown >= 0) line = line.slice(shown + 1);
  if (line.length > 2 * maxLength) line = shorten(line, 2 * maxLength);
  line = stripInvisible(line);
  if (WIDE_SPACE.test(line)) line = line.replace(ALL_WIDE_SPACES, ' ');
  // A frame or bullet begins beyond the letters of most scripts, after a few spaces at most.
  if (!ADORNED.test(line)) return shorten(line, maxLength);
  if (FRAME.test(line)) line = withoutRightBar(line.replace(FRAME, ''));
  return shorten(line.replace(BULLET, '$1'), maxLength);
}

const WIDE_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const ALL_WIDE_SPACES = new RegExp(WIDE_SPACE, 'g');
const ADORNED = /^\s{0,8}[\u2022-\u2bff]/;

/** Writes the JSON of a line that is too long in words first, so that the cut removes the least informative part. */
export function shorten(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  return (line.includes('{') ? tellBodies(line.slice(0, MAX_TOLD)) : line).slice(0, maxLength);
}

const MAX_TOLD = 32_768;

const FRAME = /^\s{0,8}[\u2500-\u259f]+ ?/;
/** Arrows, shapes, signs and dingbats, but not braille, which is a spinner and not a message. */
const BULLET = /^(\s{0,8})[\u2022\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff]+\ufe0f? ?/;

/** Removes the right side of a box and the spaces before it, which would hide where the text was wrapped. */
function withoutRightBar(line: string): string {
  let end = line.length;
  while (end > 0 && isBar(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

const isBar = (code: number) => code === 32 || code === 124 || (code >= 0x2500 && code <= 0x259f);
