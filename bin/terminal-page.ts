// Shows a Markdown page on a terminal: tables as tables, headings without their marks. A pipe gets the page unchanged.

import { coloursOf, type Sheet } from './sheet.ts';
import { type Column, tableLines } from './table.ts';
import { STATE_PAINT } from './tollgate/task-cells.ts';

export function onSheet(markdown: string, sheet: Sheet): string {
  if (sheet.width === null) return markdown;
  const { bold } = coloursOf(sheet.ink);
  const shown: string[] = [];
  let table: string[][] = [];
  const close = () => {
    const [headings, ...rows] = table;
    if (headings !== undefined) shown.push(...tableLines(headings.map(columnOf), rows.map(evened(headings)), sheet));
    table = [];
  };
  for (const line of markdown.split('\n')) {
    if (line.startsWith('|')) {
      if (!/^[|\s:-]+$/.test(line)) table.push(cellsOf(line));
      continue;
    }
    close();
    const heading = /^#{1,6} (.*)$/.exec(line);
    shown.push(heading === null ? line : bold(heading[1]!));
  }
  close();
  return shown.join('\n');
}

const LEAST = 12;

const columnOf = (heading: string): Column => ({
  heading: heading.toUpperCase(),
  least: Math.max(LEAST, heading.length),
  ...(heading === 'state' ? { paint: STATE_PAINT } : {}),
});

/** A bar within a cell is escaped by a backslash. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\|\s*|\s*\|\s*$/g, '')
    .split(/\s*(?<!\\)\|\s*/)
    .map((cell) => cell.replace(/\\([|\\<])/g, '$1'));

const evened = (headings: readonly string[]) => (cells: string[]) => headings.map((_, i) => cells[i] ?? '');
