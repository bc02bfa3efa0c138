// Picks the lines of a stderr that say what went wrong, as a stream, at any length, in constant memory.

import type { Tool } from '../facts/tools.ts';
import { type AssessedLine, FAILURE, isErrorBearing, LETTERED, lineOf, NAMES_CODEX, survey, TIMED } from './assess.ts';
import { type Bare, bareOf, shorten } from './bare.ts';
import { isInk, isSpace } from './characters.ts';
import { createObjectJoiner } from './json-text.ts';
import { type Capacity, createBasket, createShortLines, type LineFates, SHORT } from './line-sample.ts';
import { isTimeAlone, type Level } from './log-head.ts';
import { createReflower } from './reflow.ts';
import { createUnwrapper } from './unwrap.ts';

const MAX_LINE_LENGTH = 2000;
/** The first errors make the signature; in a flood of errors, the last one decides the verdict. */
const ERRORS: Capacity = { first: 100, looks: 10_000, last: 20 };
/** Only the first few lines without an error can matter, so a long log of them is not read further. */
const OTHERS: Capacity = { first: 20, looks: 1000, last: 0 };
/** Lines below an error, up to a blank one, that still belong to it though they name no failure themselves. */
const MAX_DETAILS = 6;

export interface ErrorLines {
  /** One line without its end. */
  push(line: string): void;
  /**
   * Returns the first 100 lines that contain an error, in order, unwrapped, each at most 2,000 characters, none twice in normal
   * form. Adds the last 20 if there are more, or if 10,000 lines gave fewer. If no line contains an error, returns the first
   * lines that are not noise, a notice or about a retry. A CLI may report an error in unforeseen words.
   */
  lines(): string[];
  /** If `lines` is empty: the first notices and, if there are none, the first lines about retries. */
  remarks(): string[];
}

/** The tools that repeat the prompt on stderr; an unknown tool may do so. */
const ECHO: readonly (Tool | null)[] = ['codex', null];

/**
 * A CLI that wrote no events may have reported its failure on stdout. Of that only lines that name a failure count, because an
 * answer may be there too.
 */
export const orSpoken = (stderr: ErrorLines, stdout: ErrorLines): Pick<ErrorLines, 'lines' | 'remarks'> =>
  stderr.lines().length + stderr.remarks().length > 0
    ? stderr
    : { lines: () => stdout.lines().filter(isErrorBearing), remarks: () => [] };

type Grade = 'error' | 'plain' | 'notice' | 'retry' | 'noise';

/**
 * @param tool the tool whose stderr it is; null if unknown: it may be the stderr of codex, which echoes
 * @param fates receives what becomes of each line
 */
export function createErrorLines(
  tool: Tool | null = null,
  fates: { note: LineFates['note'] } | null = null,
): ErrorLines {
  const kept = openBaskets();
  const whoseOf = ECHO.includes(tool) ? createCodexEcho() : () => 'own' as const;
  const grade = createGrader();
  const unwrapper = createUnwrapper(MAX_LINE_LENGTH, (line) => {
    const its = grade(line);
    const became = its === 'noise' ? 'dropped' : kept[its].add(line.text);
    fates?.note(fateOf(line, its, became), line.text);
  });
  const take = (text: string, found: number, level: Level | null) => {
    if (found & LETTERED) {
      if (unwrapper.push(leveled(lineOf(text, found), level)) === 'said before')
        fates?.note('said twice in a row', text);
      return;
    }
    if (/\d/.test(text)) {
      if (unwrapper.pushFigures(lineOf(text, found)) === 'dropped') fates?.note('figures alone', text);
      return;
    }
    fates?.note('no words', text);
    // A blank line, a rule or an opening brace ends what is above it.
    unwrapper.flush();
    if (!/^\s+[^\s[{]/.test(text)) grade(null);
  };
  const objects = createObjectJoiner((text, level) => {
    const line = shorten(text, MAX_LINE_LENGTH);
    take(line, survey(line), level);
  });
  const flush = () => {
    short.flush();
    reflower.flush();
    flushHeld();
  };
  const flushHeld = () => {
    objects.flush();
    unwrapper.flush();
  };
  const firstOf = (...grades: Exclude<Grade, 'noise'>[]): string[] => {
    flush();
    return grades.map((its) => kept[its].lines()).find((lines) => lines.length > 0) ?? [];
  };

  const read = (line: Bare) => {
    const { level } = line;
    const text = line.found & TIMED && isTimeAlone(line.text) ? '' : line.text;
    const found = level === 'error' ? line.found | FAILURE : line.found;
    const whose = isBlank(text) ? 'own' : whoseOf(text, found, level === 'error');
    if (whose === 'own') {
      if (!objects.take(text, found, level)) take(text, found, level);
      return;
    }
    fates?.note('an echo of codex', text);
    flushHeld();
    // The errors before an answer were overcome, or were part of the prompt.
    if (whose !== 'answer') return;
    Object.assign(kept, openBaskets());
    grade(null);
  };
  const reflower = createReflower(read);
  const short = createShortLines(
    (raw) => reflower.push(bareOf(raw, MAX_LINE_LENGTH)),
    (raw) => fates?.note('one of a thousand short lines in a row', raw),
  );

  const push = (line: string) => {
    if (line.length <= SHORT) return short.push(line);
    short.end();
    reflower.push(bareOf(line, MAX_LINE_LENGTH));
  };

  return {
    push,
    lines: () => firstOf('error', 'plain'),
    remarks: () => firstOf('notice', 'retry'),
  };
}

/** Describes the line by its kind or grade, and whether an error was kept. */
function fateOf({ kind }: AssessedLine, its: Grade, became: string): string {
  if (its === 'error') return became === 'kept' ? 'an error' : `an error, ${became}`;
  if (kind !== null && (its === kind.grade || its === 'noise')) return kind.name;
  return FATES[its];
}

const FATES: Record<Exclude<Grade, 'error'>, string> = {
  plain: 'neither error nor notice',
  notice: 'below a notice, or no error to its logger',
  retry: 'below a retry',
  noise: 'source that a runtime prints',
};

const isBlank = (text: string): boolean => !isInk(text.charCodeAt(0)) && text.trim() === '';

const leveled = (line: AssessedLine, level: Level | null): AssessedLine => (level === null ? line : { ...line, level });

const openBaskets = () => ({
  error: createBasket(ERRORS),
  plain: createBasket(OTHERS),
  notice: createBasket(OTHERS),
  retry: createBasket(OTHERS),
});

/** Grades each line in order; null is a line that ends what is above it. */
function createGrader(): (line: AssessedLine | null) => Grade {
  let owner: Grade | null = null;
  let margin = Number.POSITIVE_INFINITY;
  let details = 0;
  let echoes = 0;

  return (line) => {
    if (line === null) {
      owner = null;
      return 'noise';
    }
    const { text, kind, bearsError, level } = line;
    const indent = isSpace(text.charCodeAt(0)) ? text.length - text.trimStart().length : 0;
    margin = Math.min(margin, indent);
    const isBelow = indent > margin;
    const isEcho = echoes > 0 && isBelow;
    echoes = kind?.echoes ?? echoes - 1;
    // A stack frame belongs to what is above it, and so do the properties below the frame.
    if (isEcho || (isBelow && kind?.grade === 'noise')) return 'noise';
    if (isBelow && level !== 'error' && (owner === 'retry' || owner === 'notice')) return owner;
    // The logger says that this line is not an error, but nothing about the lines around it.
    if (level === 'info') return kind?.grade ?? 'notice';
    const its: Grade = kind?.grade ?? (bearsError || level === 'error' ? 'error' : 'plain');
    if (its === 'plain' && owner === 'error' && details < MAX_DETAILS) {
      details += 1;
      return 'error';
    }
    if (its === 'error') details = 0;
    if (!isBelow) owner = its;
    return its;
  };
}

/** The source of a line: the engine itself, an echo of something else, or the heading of an answer. */
type EchoedBy = 'own' | 'echo' | 'answer';

/**
 * codex in text mode echoes its settings, the prompt, tool output and the answer on stderr. After its header,
 * only what follows an `ERROR` of codex itself passes, up to the next heading. A later answer shows that the turn
 * continued, or that the prompt quoted the error.
 */
function createCodexEcho(): (line: string, found: number, isError: boolean) => EchoedBy {
  let headed = false;
  let open = true;
  let levels: 'telling' | 'everywhere' = 'telling';
  return (line, found, isError) => {
    if (!headed) {
      if ((found & NAMES_CODEX) === 0 || !line.includes('Codex v') || !HEADER.test(line)) return 'own';
      headed = true;
      open = false;
      if (isError) levels = 'everywhere';
      return 'echo';
    }
    if (OWN.test(line) || (isError && levels === 'telling')) open = true;
    else if (HEADING.test(line)) open = false;
    if (line.trim() === 'codex') return 'answer';
    return open || line.trim() === 'turn interrupted' ? 'own' : 'echo';
  };
}

const HEADER = /^\s*(?:\[?[a-z]{4,7}\]?:?\s+)?OpenAI Codex v\d/i;

const OWN =
  /^\s*(?:ERROR:|stream error:|\d{4}-\d\d-\d\dT\S{8,24}\s+ERROR |thread '|memory allocation of |fatal runtime error)/;

const HEADING = /^\s*(?:exec|codex|user|thinking|tokens used|warning:.*)$/;
