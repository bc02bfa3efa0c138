// Picks the lines of a stderr that say what went wrong: as it streams by, however long it is, in constant memory.

import { isLetter, isWord } from './characters.ts';
import { type Grade, isErrorBearing, kindOfLine } from './line-kinds.ts';
import { normalise, stripInvisible } from './normalise.ts';

export const MAX_LINES = 100;
export const MAX_LINE_LENGTH = 2000;
/** Of lines that are no error only the first few can matter. */
const MAX_OTHERS = 20;
/** Lines held back because an error might begin in them: it was wrapped before the telling word. */
const MAX_HELD = 6;
/** Indented lines below an error that still belong to it. */
const MAX_DETAILS = 4;

export interface ErrorLines {
  /** One line without its end. */
  push(line: string): void;
  /**
   * The first 100 error-bearing lines in their order, each at most 2,000 characters, none twice in normal form.
   * If no line bears an error, the first lines that are neither noise nor a notice nor about a retry: a CLI
   * may say what is wrong in words that nobody foresaw.
   */
  lines(): string[];
  /** Where `lines` is empty: the first notices and, if there is none, the first lines about retries. */
  remarks(): string[];
}

type Kept = 'error' | 'plain' | 'notice' | 'retry';

export function createErrorLines(): ErrorLines {
  const kept: Record<Kept, string[]> = { error: [], plain: [], notice: [], retry: [] };
  const seen: Record<Kept, Set<string>> = { error: new Set(), plain: new Set(), notice: new Set(), retry: new Set() };
  const codex = createCodexGate();
  let held: string[] = [];
  /** What the last unindented line was; null after a blank line. */
  let owner: Grade | 'error' | 'plain' | null = null;
  let details = 0;
  let last = '';
  let afterPlace = 0;

  const keep = (grade: Kept, line: string) => {
    if (kept[grade].length >= (grade === 'error' ? MAX_LINES : MAX_OTHERS)) return;
    const form = normalise(line, {}, 600) || line;
    if (seen[grade].has(form)) return;
    seen[grade].add(form);
    kept[grade].push(line);
  };

  const take = (line: string, grade: Grade | 'error' | 'plain') => {
    if (grade === 'error') for (const earlier of held) keep('error', earlier);
    if (grade !== 'noise') keep(grade, line);
    held = grade === 'plain' ? [...held, line].slice(-MAX_HELD) : [];
    owner = grade;
    last = line;
  };

  const judge = (line: string): Grade | 'error' | 'plain' => {
    const kind = kindOfLine(line);
    if (kind?.name === 'place in source') afterPlace = 2;
    else if (afterPlace > 0) {
      afterPlace -= 1;
      if (/^\s/.test(line)) return 'noise';
    }
    if (kind) return kind.grade;
    const indented = /^\s/.test(line);
    if (indented && (owner === 'retry' || owner === 'notice')) return owner;
    const continues = owner !== null && last !== '' && isWrapped(last, line);
    if (continues && (owner === 'notice' || owner === 'retry')) return owner;
    if (isErrorBearing(line)) {
      if (!continues) held = [];
      return 'error';
    }
    if (owner === 'error' && indented) details += 1;
    if (owner === 'error' && (continues || (indented && details <= MAX_DETAILS))) return 'error';
    if (!continues) held = [];
    return 'plain';
  };

  return {
    push(raw) {
      if (kept.error.length >= MAX_LINES) return;
      const line = tidy(raw);
      if (!hasLetter(line)) {
        // A blank line ends what it follows; one of braces and rules does not.
        if (line.trim() === '') {
          owner = null;
          held = [];
        }
        return;
      }
      if (!codex(line)) return;
      const indented = /^\s/.test(line);
      if (!indented) details = 0;
      const before = owner;
      take(line, judge(line));
      // A stack frame belongs to the error above it, and so do the properties below the frame.
      if (owner === 'noise' && indented) owner = before;
    },
    lines: () => [...(kept.error.length > 0 ? kept.error : kept.plain)],
    remarks: () => [...(kept.notice.length > 0 ? kept.notice : kept.retry)],
  };
}

/** What a terminal would show of a line: without ANSI sequences, only what the last carriage return left. */
export function tidy(raw: string): string {
  let line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const shown = line.lastIndexOf('\r', line.length - 2);
  if (shown >= 0) line = line.slice(shown + 1);
  return stripInvisible(line.length > 2 * MAX_LINE_LENGTH ? line.slice(0, 2 * MAX_LINE_LENGTH) : line).slice(
    0,
    MAX_LINE_LENGTH,
  );
}

/**
 * codex in text mode echoes its settings, the prompt, tool output and the answer on stderr. Once its header has been
 * seen, only what follows an `ERROR` of its own is let through, up to the next heading or blank line.
 */
function createCodexGate(): (line: string) => boolean {
  let headed = false;
  let open = true;
  return (line) => {
    if (!headed) {
      if (!/^OpenAI Codex v\d/.test(line)) return true;
      headed = true;
      open = false;
      return false;
    }
    if (/^(?:ERROR:|\d{4}-\d\d-\d\dT\S{8,24} ERROR )/.test(line)) open = true;
    else if (/^(?:exec|codex|user|thinking|tokens used|warning:.*)$|^-{8}/.test(line)) open = false;
    else if (line === 'turn interrupted') return true;
    return open;
  };
}

/** Whether `line` goes on with the sentence of `last`: the next word had no room, and nothing begins anew. */
function isWrapped(last: string, line: string): boolean {
  if (/^(?:\s*$|[([]?(?:error|fatal|warn)|usage:|\d{4}-\d\d|\[)/i.test(line)) return false;
  const word = /^\s*(\S*)/.exec(line)?.[1]?.length ?? 0;
  if (last.length + 1 + word < 57) return false;
  return /^\s*[a-z("'`]/.test(line) || !/[.!?:;)}\]]\s*$/.test(last);
}

function hasLetter(line: string): boolean {
  for (let i = 0; i < line.length; i += 1) {
    const code = line.charCodeAt(i);
    if ((isWord(code) && !(code > 47 && code < 58)) || isLetter(code)) return true;
  }
  return false;
}
