// Takes away the bar that a box, a quotation or a log in plain ASCII puts before each line, and after it.

import { survey } from './assess.ts';
import type { Bare } from './bare.ts';

const SIDE = /^ ?([|>])(?: |$)/;

/** Only where two lines in a row or more have it: one alone may be a spinner, or a sign of a shell. */
export function withoutMargins<Line extends Pick<Bare, 'text' | 'found'>>(lines: readonly Line[]): readonly Line[] {
  if (!lines.some(({ text }) => mayBegin(text))) return lines;
  const signs = lines.map(({ text }) => (mayBegin(text) ? (SIDE.exec(text)?.[1] ?? '') : ''));
  return lines.map((line, i) => {
    const sign = signs[i]!;
    if (sign === '' || (signs[i - 1] !== sign && signs[i + 1] !== sign)) return line;
    const bare = line.text.replace(SIDE, '');
    const text = sign === '|' && bare.endsWith('|') ? bare.slice(0, -1).trimEnd() : bare;
    return { ...line, text, found: survey(text) };
  });
}

/** `|` or `>`, maybe behind one space: most lines begin otherwise. */
function mayBegin(line: string): boolean {
  const first = line.charCodeAt(line.charCodeAt(0) === 32 ? 1 : 0);
  return first === 124 || first === 62;
}
