// Picks the lines of a stderr that say what went wrong: as it streams by, however long it is, in constant memory.

import { LETTERED, type Line, lineOf, ODD, survey } from './assess.ts';
import { isSpace } from './characters.ts';
import { withoutLogHead } from './log-head.ts';
import { normalise } from './normalise.ts';
import { createObjectJoiner } from './objects.ts';
import { tidy } from './tidy.ts';
import { createUnwrapper } from './unwrap.ts';

export const MAX_LINES = 100;
export const MAX_LINE_LENGTH = 2000;
/** Of lines that are no error only the first few can matter, and a long log of them is not read for more. */
const MAX_OTHERS = 20;
const MAX_LOOKS = 1000;
/** Lines below an error, up to a blank one, that still belong to it though they name no failure themselves. */
const MAX_DETAILS = 6;

export interface ErrorLines {
  /** One line without its end. */
  push(line: string): void;
  /**
   * The first 100 error-bearing lines in their order, unwrapped, each at most 2,000 characters, none twice in normal
   * form. If no line bears an error, the first lines that are neither noise nor a notice nor about a retry: a CLI may
   * say what is wrong in words that nobody foresaw.
   */
  lines(): string[];
  /** Where `lines` is empty: the first notices and, if there is none, the first lines about retries. */
  remarks(): string[];
}

type Grade = 'error' | 'plain' | 'notice' | 'retry' | 'noise';

export function createErrorLines(): ErrorLines {
  const kept = {
    error: createBasket(MAX_LINES, Number.POSITIVE_INFINITY),
    plain: createBasket(),
    notice: createBasket(),
    retry: createBasket(),
  };
  const whoseOf = createCodexGate();
  const grade = createGrader();
  const unwrapper = createUnwrapper(MAX_LINE_LENGTH, (line) => {
    const its = grade(line);
    if (its !== 'noise') kept[its].add(line.text);
  });
  const firstOf = (...grades: Exclude<Grade, 'noise'>[]): string[] => {
    objects.flush();
    unwrapper.flush();
    return [...(grades.map((its) => kept[its].lines).find((lines) => lines.length > 0) ?? [])];
  };

  const objects = createObjectJoiner((text) => take(text));
  const take = (text: string) => {
    let line = text;
    let found = line.length > MAX_LINE_LENGTH ? ODD : survey(line);
    if (found & ODD) {
      line = tidy(line, MAX_LINE_LENGTH);
      found = survey(line);
    }
    if (found & LETTERED) return unwrapper.push(lineOf(line, found));
    if (/\d/.test(line)) return unwrapper.pushFigures(lineOf(line, found));
    // A blank line, a rule or an opening brace ends what stands above it.
    unwrapper.flush();
    if (!/^\s+[^\s[{]/.test(line)) grade(null);
  };

  return {
    push(raw) {
      if (kept.error.full()) return;
      const text = withoutLogHead(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
      switch (text.trim() === '' ? 'own' : whoseOf(text)) {
        case 'own':
          return objects.push(text);
        case 'answer':
          // What went before was overcome, or was the prompt's.
          objects.flush();
          unwrapper.flush();
          for (const basket of Object.values(kept)) basket.clear();
          return;
        case 'echo':
          objects.flush();
          return unwrapper.flush();
      }
    },
    lines: () => firstOf('error', 'plain'),
    remarks: () => firstOf('notice', 'retry'),
  };
}

/** Lines in their order, none twice in normal form; `looks` bounds how many are looked at to find them. */
function createBasket(max = MAX_OTHERS, looks = MAX_LOOKS) {
  const seen = new Set<string>();
  const lines: string[] = [];
  let left = looks;
  const full = () => lines.length >= max || left <= 0;
  return {
    lines,
    full,
    add(line: string) {
      if (full() || line === lines.at(-1)) return;
      left -= 1;
      const form = normalise(line, {}, 600) || line;
      if (!seen.has(form)) lines.push(line);
      seen.add(form);
    },
    clear() {
      seen.clear();
      lines.length = 0;
      left = looks;
    },
  };
}

/** Grades line after line; null is one that ends what stands above it. */
function createGrader(): (line: Line | null) => Grade {
  let owner: Grade | null = null;
  let margin = Number.POSITIVE_INFINITY;
  let details = 0;
  let echoes = 0;

  return (line) => {
    if (line === null) {
      owner = null;
      return 'noise';
    }
    const { text, kind, bearsError } = line;
    const indent = isSpace(text.charCodeAt(0)) ? text.length - text.trimStart().length : 0;
    margin = Math.min(margin, indent);
    const isBelow = indent > margin;
    const isEcho = echoes > 0 && isBelow;
    echoes = kind?.echoes ?? echoes - 1;
    // A stack frame belongs to what stands above it, and so do the properties below the frame.
    if (isEcho || (isBelow && kind?.grade === 'noise')) return 'noise';
    if (isBelow && (owner === 'retry' || owner === 'notice')) return owner;
    const its: Grade = kind?.grade ?? (bearsError ? 'error' : 'plain');
    if (its === 'plain' && owner === 'error' && details < MAX_DETAILS) {
      details += 1;
      return 'error';
    }
    if (its === 'error') details = 0;
    if (!isBelow) owner = its;
    return its;
  };
}

/** Whose a line is: the engine's own, an echo of something else, or the heading of an answer. */
type Whose = 'own' | 'echo' | 'answer';

/**
 * codex in text mode echoes its settings, the prompt, tool output and the answer on stderr. Once its header has been
 * seen, only what follows an `ERROR` of its own is let through, up to the next heading.
 */
function createCodexGate(): (line: string) => Whose {
  let headed = false;
  let open = true;
  return (line) => {
    if (!headed) {
      if (!/^\s*OpenAI Codex v\d/.test(line)) return 'own';
      headed = true;
      open = false;
      return 'echo';
    }
    if (OWN.test(line)) open = true;
    else if (HEADING.test(line)) open = false;
    if (line.trimEnd() === 'codex') return 'answer';
    return open || line.trim() === 'turn interrupted' ? 'own' : 'echo';
  };
}

const OWN = /^\s*(?:ERROR:|\d{4}-\d\d-\d\dT\S{8,24}\s+ERROR |thread '|memory allocation of |fatal runtime error)/;
const HEADING = /^\s*(?:exec|codex|user|thinking|tokens used|warning:.*)$/;
