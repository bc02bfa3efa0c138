// Shows a Markdown page on a terminal: real tables, headings without marks, fenced text indented. A pipe gets it unchanged.

import { coloursOf, type Paint, type Sheet } from './sheet.ts';
import { type Column, tableLines } from './table.ts';
import { STATE_PAINT } from './tollgate/task-cells.ts';

export function onSheet(markdown: string, sheet: Sheet): string {
  if (sheet.width === null) return markdown;
  const colours = coloursOf(sheet.ink);
  const shown: string[] = [];
  let table: string[][] = [];
  const close = () => {
    const [headings, ...rows] = table;
    if (headings !== undefined) shown.push(...tableLines(headings.map(columnOf), rows.map(evened(headings)), sheet));
    table = [];
  };
  let fence: string | null = null;
  let isDiff = false;
  for (const line of markdown.split('\n')) {
    const [, marks, language] = /^(`{3,})(\w*)/.exec(line) ?? [];
    if (fence === null && marks !== undefined) {
      close();
      fence = marks;
      isDiff = language === 'diff';
      continue;
    }
    if (fence !== null) {
      const paint = isDiff ? DIFF_PAINT[line[0]!] : undefined;
      if (line === fence) fence = null;
      else shown.push(`  ${paint === undefined ? line : colours[paint](line)}`);
      continue;
    }
    if (line.startsWith('|')) {
      if (!/^[|\s:-]+$/.test(line)) table.push(cellsOf(line));
      continue;
    }
    close();
    const heading = /^#{1,6} (.*)$/.exec(line);
    shown.push(heading === null ? line : colours.bold(heading[1]!));
  }
  close();
  return shown.join('\n');
}

const DIFF_PAINT: Record<string, Paint> = { '+': 'green', '-': 'red', '@': 'cyan' };

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
