// Formats a table of text: as wide as it needs on unlimited width, otherwise within the width of a terminal.

import { coloursOf, type Paint, type Sheet } from './sheet.ts';

export interface Column {
  heading: string;
  /** If room is short, the column may be cut to this many characters; by default it is never cut. */
  least?: number;
  /** If that is not enough, columns are omitted, the highest number first. */
  leaveOut?: number;
  /** The colour of a cell, if there is colour. */
  paint?: (cell: string) => Paint | null;
}

const GAP = '  ';

/**
 * @param rows Read twice, for the widths and for the lines.
 * @returns the headings and then a line for each row, without white space at its end.
 */
export function tableLines(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
  { width, ink }: Sheet,
): string[] {
  const colours = coloursOf(ink);
  const headings = columns.map(({ heading }) => heading);
  let shown = columns.map((_, i) => i);
  let widths = headings.map(lengthOf);
  for (const cells of rows) widths = widths.map((widest, i) => Math.max(widest, lengthOf(cells[i]!)));
  if (width !== null) {
    for (;;) {
      const cut = shrunk(columns, shown, widths, width);
      if (cut !== null || !shown.some((i) => columns[i]!.leaveOut !== undefined)) {
        widths = cut ?? widths;
        break;
      }
      const out = shown.reduce((most, i) => ((columns[i]!.leaveOut ?? 0) > (columns[most]!.leaveOut ?? 0) ? i : most));
      shown = shown.filter((i) => i !== out);
    }
  }
  const textsOf = (cells: readonly string[]): string[] => {
    const texts = shown.map((i) => padded(cutLine(cells[i]!, widths[i]!), widths[i]!));
    texts.push(texts.pop()?.trimEnd() ?? '');
    return texts;
  };
  const lines = [colours.bold(textsOf(headings).join(GAP).trimEnd())];
  for (const cells of rows) {
    const texts = textsOf(cells);
    const painted = shown.map((i, at) => {
      const paint = columns[i]!.paint?.(cells[i]!) ?? null;
      return paint === null ? texts[at]! : colours[paint](texts[at]!);
    });
    lines.push(painted.join(GAP).trimEnd());
  }
  return lines;
}

/** The widths within the room, after cutting the widest columns that may be cut; null if they do not fit. */
function shrunk(
  columns: readonly Column[],
  shown: readonly number[],
  natural: readonly number[],
  room: number,
): number[] | null {
  const widths = [...natural];
  const over = () => shown.reduce((sum, i) => sum + widths[i]!, 0) + GAP.length * (shown.length - 1) - room;
  while (over() > 0) {
    const soft = shown.filter((i) => widths[i]! > (columns[i]!.least ?? Number.POSITIVE_INFINITY));
    if (soft.length === 0) return null;
    const widest = soft.reduce((a, b) => (widths[a]! >= widths[b]! ? a : b));
    widths[widest] = widths[widest]! - 1;
  }
  return widths;
}

/** A line within the width, with a mark if something is missing. */
export function cutLine(text: string, width: number | null): string {
  if (width === null || lengthOf(text) <= width) return text;
  return `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Lines within the width, broken at spaces; those after the first are indented twice as far. A longer word is not broken. */
export function wrapLine(text: string, width: number, indent: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let begun = false;
  for (const word of text.split(' ')) {
    if (begun && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = ' '.repeat(2 * indent) + word;
    } else line += begun ? ` ${word}` : word;
    begun = true;
  }
  return [...lines, line];
}

/** In characters as a reader counts them, approximately: characters of two cells' width count as one. */
const lengthOf = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : [...text].length);

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));
