// Formats a table of text: as wide as it needs on unlimited width, otherwise within the width of a terminal.

import { coloursOf, type Paint, type Sheet } from './sheet.ts';
import { cutLine, lengthOf, padded } from './wrap.ts';

export interface Column {
  heading: string;
  /** If room is short, the column may be cut to this many characters; by default it is never cut. */
  least?: number;
  /** Only in the first column: a longer cell is not cut, but has a line of its own above the rest of its row. */
  isWhole?: true;
  /** If that is not enough, columns are omitted, the highest number first. */
  leaveOut?: number;
  /** On a terminal, it is omitted if no row has anything in it. */
  isOptional?: true;
  /** The colour of a cell, if there is colour. */
  paint?: (cell: string) => Paint | null;
}

const GAP = '  ';
/** The cell of a value that does not exist. */
const NOTHING = '-';

/** @param rows Read twice: for the widths, then for the lines. @returns the headings, then one text for each row. */
export function tableLines(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
  { width, ink }: Sheet,
): string[] {
  const colours = coloursOf(ink);
  const headings = columns.map(({ heading }) => heading);
  let shown = columns.map((_, i) => i);
  let widths = headings.map(lengthOf);
  const isUsed = columns.map(({ isOptional }) => isOptional !== true);
  for (const cells of rows) {
    widths = widths.map((widest, i) => Math.max(widest, lengthOf(cells[i]!)));
    for (const i of shown) isUsed[i] ||= cells[i] !== NOTHING;
  }
  if (width !== null) {
    shown = shown.filter((i) => isUsed[i]);
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
    const texts = shown.map((i) => {
      const isLong = columns[i]!.isWhole === true && lengthOf(cells[i]!) > widths[i]!;
      return isLong ? `${cells[i]}\n${' '.repeat(widths[i]!)}` : padded(cutLine(cells[i]!, widths[i]!), widths[i]!);
    });
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

/** Labels and their texts in two columns. What to do next is bold. An empty label continues the one above. */
export function labelLines(rows: readonly (readonly [label: string, text: string])[], ink: Sheet['ink']): string[] {
  const colours = coloursOf(ink);
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${colours[label === 'next' ? 'bold' : 'dim'](label.padEnd(width))}  ${text}`);
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
