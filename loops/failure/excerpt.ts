// The first and the last lines of a published (so redacted) stderr, however long it is.

import { cutStacks } from '../../policies/text/stack-trace.ts';
import { readHead, readTail } from '../../state/disk/file-head.ts';
import { isSystemError } from '../../state/system-error.ts';

interface StderrExcerpt {
  stderr_head: string[];
  /** Empty when the head is all there is. */
  stderr_tail: string[];
}

const LINES = 20;
const MAX_CHARS = 500;
/** Enough for the lines that are shown. */
const WINDOW = 64 * 1024;

export function excerpt(file: string): StderrExcerpt {
  try {
    const { text, bytes } = readHead(file, WINDOW);
    const head = cutStacks(linesOf(text));
    const tail = bytes <= WINDOW ? head.slice(LINES) : cutStacks(linesOf(readTail(file, WINDOW).text).slice(1));
    return { stderr_head: head.slice(0, LINES), stderr_tail: tail.slice(-LINES) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { stderr_head: [], stderr_tail: [] };
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, MAX_CHARS));
