// Writes what was measured between the marks of the page that shows it, so that it shows what the command printed.

import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- bench -->';
const END = '<!-- /bench -->';

/** @param blocks paragraphs and tables. */
export function writeFigures(page: string, blocks: readonly string[]): void {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${page} has no place between ${BEGIN} and ${END}`);
  writeFileSync(page, `${text.slice(0, begin)}${BEGIN}\n${blocks.join('\n\n')}\n${text.slice(end)}`);
}
