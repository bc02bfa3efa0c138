// Joins lines that a terminal or a logger has wrapped.

import { type AssessedLine, assess } from './assess.ts';
import { isDigit, isInk, isWord } from './characters.ts';

interface Unwrapper {
  push(line: AssessedLine): 'taken' | 'said before';
  /** Takes a line of digits and signs only: kept if it continues a line, dropped if it does not. */
  pushFigures(line: AssessedLine): 'taken' | 'dropped';
  /** Emits what is held back: nothing continues beyond this point. */
  flush(): void;
}

/** Text is rarely wrapped more narrowly or more widely than this. */
const NARROWEST = 57;
const WIDEST = 132;

/** Lines that form one line. They are joined only when emitted, since a long text may continue for thousands of lines. */
interface Held {
  first: AssessedLine;
  parts: string[];
  length: number;
  /** The beginning of the joined lines. */
  head: string;
}

const HEAD = 60;

export function createUnwrapper(maxLength: number, emit: (line: AssessedLine) => void): Unwrapper {
  let held: Held | null = null;
  /** The last physical line in `held`, and the longest of them that was wrapped. */
  let last = '';
  let widest = NARROWEST;

  const flush = () => {
    if (held !== null) emit(held.parts.length === 1 ? held.first : joined(held, maxLength));
    held = null;
    widest = NARROWEST;
  };
  const append = (line: AssessedLine): boolean => {
    // Text beyond the maximum starts a new line and is not lost: it may be an error.
    if (held === null || !mayGoOn(last, line) || held.first.level !== line.level || held.length >= maxLength)
      return false;
    if (!hadNoRoom(last, line.text, widest) || !goesOn(held, last, line)) return false;
    const part = line.text.trimStart();
    widest = Math.max(widest, last.length);
    held.parts.push(part);
    held.length += 1 + part.length;
    if (held.head.length < HEAD) held.head = `${held.head} ${part}`;
    last = endTrimmed(line.text);
    return true;
  };
  return {
    push(line) {
      const trimmed = endTrimmed(line.text);
      if (held !== null && trimmed === last) return 'said before';
      if (append(line)) return 'taken';
      flush();
      held = { first: line, parts: [line.text], length: line.text.length, head: line.text };
      last = trimmed;
      return 'taken';
    },
    pushFigures(line) {
      if (held !== null && !/[.!?]$/.test(last) && append(line)) return 'taken';
      flush();
      return 'dropped';
    },
    flush,
  };
}

const endTrimmed = (text: string): string => (isInk(lastOf(text)) ? text : text.trimEnd());

const joined = ({ first, parts }: Held, maxLength: number): AssessedLine => ({
  ...first,
  ...assess(parts.join(' ').slice(0, maxLength)),
});

/** A line of a known kind is a new line, but the words of a retry may be at the end of a long line. */
const mayGoOn = (last: string, { text, kind }: AssessedLine): boolean =>
  kind === null || (kind.grade === 'retry' && SMALL.test(text) && !ENDED.test(last));

/** Whether the first word of `line` would have been too long for the line before it. */
function hadNoRoom(last: string, line: string, widest: number): boolean {
  if (last.length > WIDEST) return false;
  // Whatever its first word is.
  if (last.length + 1 >= widest) return true;
  let from = 0;
  while (line.charCodeAt(from) === 32) from += 1;
  const space = line.indexOf(' ', from);
  return last.length + 1 + (space < 0 ? line.length : space) - from > widest;
}

/** Whether `line` may continue a sentence. Nothing continues a notice that has ended, so no error is lost in it. */
function goesOn({ first: { kind }, head }: Held, last: string, { text, bearsError }: AssessedLine): boolean {
  if (BEGINS.test(text) || isHeadBelow(last, text) || head.startsWith(text.slice(0, HEAD))) return false;
  if (isOpen(last)) return true;
  if (hasEnded(last)) return kind === null && SMALL.test(text);
  if (kind === null || !bearsError) return !CAPITAL.test(text);
  return kind.grade === 'retry'
    ? SMALL.test(text)
    : /^\s*["'(`]/.test(text) || (kind.isSentence === true && SMALL.test(text));
}

/** `litellm.RateLimitError: x` at the margin, below indented text: the error below the source line of a script's last frame. */
export const isHeadBelow = (last: string, line: string): boolean => /^\s/.test(last) && NAMED.test(line);

const NAMED = /^[A-Za-z_][\w.]{0,120}: /;
const CAPITAL = /^\s*[A-Z]/;
const SMALL = /^\s*[a-z]/;

/** A sign that ends a sentence, also within quotes, ends the text. */
const hasEnded = (text: string): boolean => !isWord(lastOf(text)) && ENDED.test(text.slice(-2));

const ENDED = /[.!?…)]['"`]?$/;

/** The text ends with a word, or a sign, that cannot end a sentence. */
export const isOpen = (text: string): boolean => !isDigit(lastOf(text)) && OPEN_END.test(text.slice(-LONGEST_OPEN));

const lastOf = (text: string): number => text.charCodeAt(text.length - 1);

const OPEN_END = /(?:[,(]|\b(?:a|an|and|as|at|be|by|for|from|in|is|least|not|of|on|or|that|the|this|to|use|was|with))$/;
const LONGEST_OPEN = 'least'.length + 1;

/** An entry of a log, a level, an item of a list, an object, a property of one. */
const BEGINS =
  /^\s*(?:[([]?(?:ERROR|Error|FATAL|Fatal|WARN|Warn|INFO|DEBUG)|(?:error|fatal|usage|warning): |\d{4}-\d\d|\[\w+\] |[-*•] |[{}]\s*$|\{.*\}\s*$)|^\s+[\w[\]'"]{1,30}: /;
