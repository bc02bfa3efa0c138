// Puts lines together again that a terminal or a logger has wrapped.

import { assess, type Line } from './assess.ts';

export interface Unwrapper {
  push(line: Line): void;
  /** A line of figures and signs only: kept where it goes on, dropped where it does not. */
  pushFigures(line: Line): void;
  /** Gives out what is held back: nothing goes on beyond this point. */
  flush(): void;
}

/** Text is rarely wrapped more narrowly or more widely than this. */
const NARROWEST = 57;
const WIDEST = 132;

export function createUnwrapper(maxLength: number, emit: (line: Line) => void): Unwrapper {
  let held: Line | null = null;
  let isJoined = false;
  /** The last physical line in `held`, and the longest of them that was wrapped. */
  let last = '';
  let widest = NARROWEST;

  const flush = () => {
    if (held !== null) emit(isJoined ? { ...held, ...assess(held.text) } : held);
    held = null;
    isJoined = false;
    widest = NARROWEST;
  };
  const append = (line: Line): boolean => {
    // What would be cut off is not lost: it may be an error.
    if (held === null || line.kind !== null || held.level !== line.level || held.text.length >= maxLength) return false;
    if (!hadNoRoom(last, line.text, widest) || !goesOn(held, line)) return false;
    widest = Math.max(widest, last.length);
    held = { ...held, text: `${held.text} ${line.text.trimStart()}`.slice(0, maxLength) };
    isJoined = true;
    last = line.text.trimEnd();
    return true;
  };
  return {
    push(line) {
      const trimmed = line.text.trimEnd();
      if (held !== null && trimmed === last) return;
      if (append(line)) return;
      flush();
      held = line;
      last = trimmed;
    },
    pushFigures(line) {
      if (held !== null && (/[.!?]$/.test(last) || !append(line))) flush();
    },
    flush,
  };
}

/** Whether the first word of `line` would have been too long for the line before it. */
function hadNoRoom(last: string, line: string, widest: number): boolean {
  if (last.length > WIDEST) return false;
  let from = 0;
  while (line.charCodeAt(from) === 32) from += 1;
  const space = line.indexOf(' ', from);
  return last.length + 1 + (space < 0 ? line.length : space) - from > widest;
}

/**
 * Whether `line` may be the rest of a sentence. An error must not be lost in the notice above it, so behind one that
 * has ended nothing goes on.
 */
function goesOn(held: Line, { text, bearsError }: Line): boolean {
  if (BEGINS.test(text) || held.text.startsWith(text.slice(0, 60))) return false;
  if (isOpen(held.text)) return true;
  const { kind } = held;
  if (hasEnded(held.text)) return kind === null && SMALL.test(text);
  if (kind === null || !bearsError) return !CAPITAL.test(text);
  return kind.grade === 'retry'
    ? SMALL.test(text)
    : /^\s*["'(`]/.test(text) || (kind.isSentence === true && SMALL.test(text));
}

const CAPITAL = /^\s*[A-Z]/;
const SMALL = /^\s*[a-z]/;

/** A sign that ends a sentence, also within quotes, ends the text. */
const hasEnded = (text: string): boolean => ENDED.test(text.trimEnd().slice(-2));

const ENDED = /[.!?…)]['"`]?$/;

/** The text ends with a word, or a sign, that cannot end a sentence. */
const isOpen = (text: string): boolean => OPEN_END.test(text.slice(-LONGEST_OPEN));

const OPEN_END = /(?:[,(]|\b(?:a|an|and|as|at|be|by|for|from|in|is|least|not|of|on|or|that|the|this|to|use|was|with))$/;
const LONGEST_OPEN = 'least'.length + 1;

/** An entry of a log, a level, an item of a list, an object, a property of one. */
const BEGINS =
  /^\s*(?:[([]?(?:ERROR|Error|FATAL|Fatal|WARN|Warn|INFO|DEBUG)|(?:error|fatal|usage|warning): |\d{4}-\d\d|\[\w+\] |[-*•] |[{}]\s*$|\{.*\}\s*$)|^\s+[\w[\]'"]{1,30}: /;
