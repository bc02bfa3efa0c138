// Joins JSON that was printed over several lines into one line, as its service sent it.

import { BRACED } from './assess.ts';
import { readJson } from './json-text.ts';
import type { Level } from './log-head.ts';
import { objectEnd } from './object-end.ts';

interface Held {
  text: string;
  level: Level | null;
}

interface ObjectJoiner {
  /** Takes a line that opens an object or is within one; false for any other. @param found the line's `survey` */
  take(line: string, found: number, level: Level | null): boolean;
  /** Emits what is held back: no object continues beyond this point. */
  flush(): void;
}

const MAX_LINES = 400;
const MAX_LENGTH = 32_768;
/** Limits the tries on a line of many brackets. */
const MAX_TRIES = 16;

/** Text that proves not to be JSON is emitted unchanged. */
export function createObjectJoiner(emit: (line: string, level: Level | null) => void): ObjectJoiner {
  let held: Held[] = [];
  let length = 0;
  let place = OUTSIDE;

  const release = (lines: readonly Held[]) => {
    held = [];
    length = 0;
    place = OUTSIDE;
    for (const { text, level } of lines) emit(text, level);
  };
  return {
    take(line, found, level) {
      if (held.length === 0 && !opens(line, found)) return false;
      held.push({ text: line, level });
      length += line.length;
      place = pastLine(line, place);
      if (held.length > MAX_LINES || length > MAX_LENGTH) release(held);
      else if (place.depth <= 0) release(joinedOf(held));
      return true;
    },
    flush: () => release(held),
  };
}

/**
 * The line ends with an opening bracket, or was wrapped within an object. A stack frame may end so too, before the
 * properties of its error.
 */
function opens(line: string, found: number): boolean {
  if ((found & BRACED) === 0) return false;
  let end = line.length - 1;
  while (end >= 0 && line.charCodeAt(end) === 32) end -= 1;
  const last = line.charCodeAt(end);
  if (last === 123 || last === 91) return !FRAME.test(line);
  return last !== 125 && last !== 93 && /\{\\*["n]/.test(line) && pastLine(line, OUTSIDE).depth > 0;
}

const FRAME = /^\s*(?:\[?warn(?:ing)?\]?:?\s+)?at /i;

/** The depth in brackets, and whether within a string: a terminal may have wrapped a string. */
interface Place {
  depth: number;
  quoted: boolean;
}

const OUTSIDE: Place = { depth: 0, quoted: false };

function pastLine(line: string, { depth, quoted }: Place): Place {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) depth -= 1;
  }
  return { depth, quoted };
}

/** Returns one line with compact JSON, or the lines unchanged without JSON. A terminal may have wrapped it. */
function joinedOf(lines: readonly Held[]): readonly Held[] {
  const [opening] = lines;
  const text = lines.map((line, i) => (i === 0 ? line.text.trimEnd() : line.text.trim())).join(' ');
  const first = opening!.text.trimEnd().length;
  const begins = [...text.slice(0, first).matchAll(/[{[]/g)].slice(0, MAX_TRIES);
  for (const { index } of begins) {
    const end = objectEnd(text, index);
    const body = end <= first ? undefined : readJson(text.slice(index, end));
    if (body !== undefined)
      return [{ level: levelOf(lines), text: `${text.slice(0, index)}${JSON.stringify(body)}${text.slice(end)}` }];
  }
  return lines;
}

/** A logger may give each line a level: one `error` makes the whole an error. */
const levelOf = (lines: readonly Held[]): Level | null =>
  lines.some(({ level }) => level === 'error') ? 'error' : lines[0]!.level;
