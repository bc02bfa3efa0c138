// Declares how an operator makes a variant of a case's text, and finds where in a text it applies.

import type { Random } from '../random.ts';
import type { Changed, Subject } from './subject.ts';

export interface Operator {
  name: string;
  /** null: the operator does not apply to this case. */
  change: (subject: Subject, random: Random) => Variant | null;
}

/** The changed case; `base` is another one to compare it with than the unchanged case. */
export type Variant = Changed & { base?: Changed };

/** The number of the line of the text that begins the signed lines; -1 if it is not found unchanged. */
export function firstSignedLine({ text, signed }: Subject): number {
  const [first] = signed;
  if (first === undefined) return -1;
  const head = first.trim();
  return text.split('\n').findIndex((line) => line.trim() !== '' && bare(line).trim() === head);
}

/** Returns the text with more at the end of its first signed line; null if that is not one line of the text. */
export function behindFirst(subject: Subject, more: string): string | null {
  const at = firstSignedLine(subject);
  if (at === -1) return null;
  const lines = subject.text.split('\n');
  const line = lines[at]!.replace(/\r$/, '');
  // The end of a sentence stays at its end, as services write it.
  lines[at] = `${line}${more}`;
  return lines.join('\n');
}

/** Returns the text with lines before its line `at`. */
export function before(text: string, at: number, more: readonly string[]): string {
  const lines = text.split('\n');
  return [...lines.slice(0, at), ...more, ...lines.slice(at)].join('\n');
}

/** Returns the text with lines at its end, whether or not it ends with a line break. */
export const after = (text: string, more: readonly string[]): string =>
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${more.join('\n')}\n`;

const bare = (line: string): string => line.replace(/\x1b\[[\d;]*[A-Za-z]/g, '').replace(/\r$/, '');

/** A kind of volatile token: how to find it in a text, make another, and plant it in a text without one. */
export interface TokenKind {
  name: string;
  /** Finds the token, globally; the whole match is replaced. */
  find: RegExp;
  /** Makes another token in the same form; `old` is '' if there was none. */
  make: (old: string, random: Random) => string;
  /** Sentences with `*` for the token, as the CLIs and services append them to an error. */
  planted: readonly string[];
}
