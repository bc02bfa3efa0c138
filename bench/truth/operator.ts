// What is done to a case's text to make a variant of it, and where in a text it is done.

import type { Random } from '../random.ts';
import type { Changed, Subject } from './subject.ts';

export interface Operator {
  name: string;
  /** Both are signed: with `base` null, the case as it is. null: there is nothing here to do it to. */
  change: (subject: Subject, random: Random) => Variant | null;
}

export interface Variant {
  base: Changed | null;
  changed: Changed;
}

/** The line of the text that the signed lines begin with, by its number; -1 where it is not found as it is. */
export function firstSignedLine({ text, signed }: Subject): number {
  const [first] = signed;
  if (first === undefined) return -1;
  const head = first.trim();
  return text.split('\n').findIndex((line) => line.trim() !== '' && bare(line).trim() === head);
}

/** The text with more at the end of its first signed line; null where that line is not one line of the text. */
export function behindFirst(subject: Subject, more: string): string | null {
  const at = firstSignedLine(subject);
  if (at === -1) return null;
  const lines = subject.text.split('\n');
  const line = lines[at]!.replace(/\r$/, '');
  // A sentence's end stays at its end, as services write it.
  lines[at] = `${line}${more}`;
  return lines.join('\n');
}

/** The text with lines before its line `at`. */
export function before(text: string, at: number, more: readonly string[]): string {
  const lines = text.split('\n');
  return [...lines.slice(0, at), ...more, ...lines.slice(at)].join('\n');
}

/** The text with lines at its end, whether or not it ends with a line break. */
export const after = (text: string, more: readonly string[]): string =>
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${more.join('\n')}\n`;

const bare = (line: string): string => line.replace(/\x1b\[[\d;]*[A-Za-z]/g, '').replace(/\r$/, '');

/** One kind of volatile token: how it is found in a text, another of its kind, and where it would be in a text without one. */
export interface TokenKind {
  name: string;
  /** Finds it, globally; the text that it takes is replaced as a whole. */
  find: RegExp;
  /** Another one in the same form; `old` is '' where there was none. */
  make: (old: string, random: Random) => string;
  /** Sentences with `*` for the token, as the CLIs and services write them behind an error; none where it is only changed. */
  planted: readonly string[];
}
