// Joins the lines of a text that a terminal, a box or a pager wrapped as a whole, at any width.

import { LETTERED, lineOf, survey, TIMED } from './assess.ts';
import type { Bare } from './bare.ts';
import { isTimeAlone } from './log-head.ts';
import { isHeadBelow, isOpen } from './unwrap.ts';

interface Reflower {
  push(line: Bare): void;
  /** Emits what is held back: nothing continues beyond this point. */
  flush(): void;
}

/** The number of lines that are examined together: their width is the width of the text. */
const MAX_LINES = 128;
/** Text is rarely wrapped more narrowly or more widely than this. */
const NARROWEST = 24;
const WIDEST = 132;
/** A joined line is not longer than a line may be. */
const MAX_LENGTH = 2000;

/** @param emit receives each line whole, with one space where it was broken. */
export function createReflower(emit: (line: Bare) => void): Reflower {
  let held: Bare[] = [];
  let margin = Number.POSITIVE_INFINITY;
  const release = () => {
    const lines = withoutMargins(held);
    held = [];
    if (margin > 0) for (const { text } of lines) if (text !== '') margin = Math.min(margin, indentOf(text));
    for (const line of reflowed(margin > 0 ? lines.map((one) => ({ ...one, text: one.text.slice(margin) })) : lines))
      emit(line);
  };
  return {
    push(line) {
      // Many blank lines count as one.
      if (line.text === '' && held.length > 0 && held[held.length - 1]!.text === '') return;
      held.push(line);
      if (held.length >= MAX_LINES) release();
    },
    flush: release,
  };
}

function reflowed(lines: readonly Bare[]): readonly Bare[] {
  const width = widthOf(lines);
  if (width < NARROWEST || width > WIDEST) return lines;
  const breaks: Break[] = lines.map((line, i) => (i === 0 ? 'none' : breakBetween(lines[i - 1]!, line, width)));
  const joins = breaks.filter((one) => one === 'open' || one === 'sure').length;
  if (joins === 0) return lines;
  const isWrapped = joins > 1 && joins > breaks.filter((one, i) => one === 'none' && isLoose(lines, i, width)).length;
  const whole: Bare[] = [];
  /** The continuation of the last line of `whole`. */
  let rest: string[] = [];
  let length = 0;
  const close = () => {
    if (rest.length > 0) whole.push(joined(whole.pop()!, rest));
    rest = [];
  };
  lines.forEach((line, i) => {
    const kind = breaks[i]!;
    const goesOn = kind === 'open' || (isWrapped && (kind === 'sure' || kind === 'maybe'));
    if (goesOn && !beginsAlike(whole.at(-1)!.text, line.text) && length + line.text.length < MAX_LENGTH) {
      const part = line.text.trim();
      rest.push(part);
      length += 1 + part.length;
      return;
    }
    close();
    whole.push(line);
    length = line.text.length;
  });
  close();
  return whole;
}

function joined(line: Bare, rest: readonly string[]): Bare {
  const text = `${line.text} ${rest.join(' ')}`;
  return { ...line, text, found: survey(text) };
}

const beginsAlike = (one: string, other: string): boolean => firstWordOf(one) === firstWordOf(other);

/** The length of the longest line that could have been broken. Skips a word that is too long for any line. */
function widthOf(lines: readonly Bare[]): number {
  let width = 0;
  for (const { text, before } of lines) {
    const length = before + text.length;
    if (length > width && (before > 0 || text.indexOf(' ', indentOf(text)) > 0)) width = length;
  }
  return width;
}

/** A break where the next word did not fit. `open`: no end there; `sure`: the sentence seems to go on; or `maybe`. */
type Break = 'open' | 'sure' | 'maybe' | 'none';

function breakBetween(above: Bare, below: Bare, width: number): Break {
  const { text: last } = above;
  const { text: line } = below;
  // A line with a logger's head is a new line.
  if (line === '' || below.before > 0 || hadRoom(above, line, width) || !isText(above)) return 'none';
  if (line.trim() === '{') return FRAME_END.test(last) ? 'maybe' : 'none';
  if (PLACE.test(last) || begins(last, line) || isOfAKind(below)) return 'none';
  if (above.found & TIMED && isTimeAlone(last)) return 'open';
  const open = isOpen(last) || last.lastIndexOf('(') > last.lastIndexOf(')');
  const begin = mayGoOn(line);
  if (BEGINS.test(line)) return open && /^\s*error: /.test(line) ? 'maybe' : 'none';
  if (ENDED.test(last)) return open || begin ? 'maybe' : 'none';
  return open ? 'open' : begin ? 'sure' : 'maybe';
}

/** Whether a line continues the one above although its first word would have fitted there, as in unwrapped text. */
function isLoose(lines: readonly Bare[], i: number, width: number): boolean {
  const [above, below] = [lines[i - 1], lines[i]!];
  if (above === undefined || below.text === '' || below.before > 0 || !isText(above)) return false;
  return (
    hadRoom(above, below.text, width) &&
    mayGoOn(below.text) &&
    !ENDED.test(above.text) &&
    !begins(above.text, below.text) &&
    !BEGINS.test(below.text)
  );
}

const hadRoom = ({ before, text }: Bare, line: string, width: number): boolean =>
  before + text.length + 1 + firstWordLength(line) <= width;

const mayGoOn = (line: string): boolean => GOES_ON.test(line) && !LABELLED.test(line);

/** A line of a known kind is a new line. One that begins with a small letter may be the rest of a sentence. */
const isOfAKind = ({ text, found }: Bare): boolean => !SMALL.test(text) && lineOf(text, found).kind !== null;

const isText = ({ text, found }: Bare): boolean => (found & LETTERED) !== 0 || /\d/.test(text);

/** Whether the line is separate at any width. */
const begins = (last: string, line: string): boolean =>
  STRUCTURE.test(line) ||
  isHeadBelow(last, line) ||
  (PROPERTY.test(line) && (OBJECT.test(last) || PROPERTY.test(last))) ||
  (OPTION.test(line) && (OPTION.test(last) || last.endsWith(':')));

function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32 || line.charCodeAt(at) === 9) at += 1;
  return at;
}

function firstWordOf(line: string): string {
  const from = indentOf(line);
  return line.slice(from, from + firstWordLength(line));
}

function firstWordLength(line: string): number {
  const from = indentOf(line);
  let to = from;
  while (to < line.length && line.charCodeAt(to) !== 32) to += 1;
  return to - from;
}

const SMALL = /^\s*[a-z]/;
const GOES_ON = /^\s*[a-z\d(]/;
const ENDED = /[.!?…)}\];]['"`]?$/;
/** `reason: x` may be a separate line. */
const LABELLED = /^\s*[\w.-]{1,24}:(?: |$)/;
/** The source that a crash echoes follows. */
const PLACE = /^\s*(?:node:|file:|\/|[A-Za-z]:\\)\S*:\d+$/;
/** `… app.js:3:5)`, before the properties of the error. */
const FRAME_END = /:\d+:\d+\)?$/;
/** A member of an object, and what ends the line before one. */
const PROPERTY = /^\s+[\w[\]'"-]{1,30}:(?: |$)/;
const OBJECT = /[,{[}\]]$/;
const OPTION = /^\s{2,}-{1,2}\w/;
/** An item of a list, a bracket, a member in quotes, a frame, a heading of codex. */
const STRUCTURE =
  /^\s*(?:[-*•●✖✗✘] |[-=_*~<]{3}|[{}\])]+[,;]?\s*$|\{.*\}\s*$|File "|(?:exec|codex|user|thinking|tokens used|(?:[Ss]tack|Require) ?(?:back)?(?:trace|stack):)$|"\w{1,40}":(?: |$))|^\s+at (?!\d{1,2}(?::\d\d| ?[ap]m\b)|\d{4}-\d\d)(?:async |new )?(?:[\w$.<>#/@-]{1,200}(?: \[as .{1,80}| ?\(.*)?$|file:|node:|https?:|\/|<)|^\s+at$|^\s*\d+:? +0x|^\s*\.\.\. \d/;
/** An entry of a log, a level. */
const BEGINS =
  /^\s*(?:[([]?(?:ERROR|Error|FATAL|Fatal|WARN|Warn|INFO|DEBUG)|(?:error|fatal|usage|warning|npm):? |\[\w+\] |Traceback |Caused by)/;

/** The bar that a box, a quotation or a log in plain ASCII puts before each line; `|` may also end it. */
const SIDE = /^ ?([|>])(?: |$)/;

/** Removes the bar only where two or more lines in a row have it: one may be a spinner or a shell's sign. */
function withoutMargins(lines: readonly Bare[]): readonly Bare[] {
  if (!lines.some(({ text }) => mayBegin(text))) return lines;
  const signs = lines.map(({ text }) => (mayBegin(text) ? (SIDE.exec(text)?.[1] ?? '') : ''));
  return lines.map((line, i) => {
    const sign = signs[i]!;
    if (sign === '' || (signs[i - 1] !== sign && signs[i + 1] !== sign)) return line;
    const bare = line.text.replace(SIDE, '');
    const text = sign === '|' && bare.endsWith('|') ? bare.slice(0, -1).trimEnd() : bare;
    return { ...line, text, found: survey(text) };
  });
}

/** `|` or `>`, possibly after one space: most lines begin otherwise. */
function mayBegin(line: string): boolean {
  const first = line.charCodeAt(line.charCodeAt(0) === 32 ? 1 : 0);
  return first === 124 || first === 62;
}
