// The first and the last lines of a published (so redacted) stderr, however long it is.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { cutStacks } from '../../policies/stack-trace.ts';

export interface Excerpt {
  stderr_head: string[];
  /** Empty when the head is all there is. */
  stderr_tail: string[];
}

const LINES = 20;
const MAX_CHARS = 500;
/** Enough for the lines that are shown. */
const WINDOW = 64 * 1024;

export function excerpt(file: string): Excerpt {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return { stderr_head: [], stderr_tail: [] };
  }
  try {
    const { size } = fstatSync(fd);
    const head = cutStacks(linesOf(readAt(fd, 0, Math.min(size, WINDOW))));
    const tail = size <= WINDOW ? head.slice(LINES) : cutStacks(linesOf(readAt(fd, size - WINDOW, WINDOW)).slice(1));
    return { stderr_head: head.slice(0, LINES), stderr_tail: tail.slice(-LINES) };
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, position: number, length: number): string {
  const buffer = Buffer.alloc(length);
  return buffer.toString('utf8', 0, readSync(fd, buffer, 0, length, position));
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, MAX_CHARS));
