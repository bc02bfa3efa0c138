// Writes what was measured between the marks of the page that shows it, so that it shows what the command printed.

import { readFileSync, writeFileSync } from 'node:fs';

export const PAGE = 'docs/figures.md';

/**
 * @param mark what stands between `<!-- mark -->` and `<!-- /mark -->` is replaced.
 * @param blocks paragraphs and tables.
 */
export function writeFigures(mark: 'bench' | 'truth', blocks: readonly string[], page = PAGE): void {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${page} has no place between ${begin} and ${end}`);
  writeFileSync(page, `${text.slice(0, from)}${begin}\n${blocks.join('\n\n')}\n${text.slice(to)}`);
}
