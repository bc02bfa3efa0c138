// Draws how much of a limit is used, as a bar with its share: `███░░░░░░░  25 %`.

import { coloursOf, isUnicode, type Sheet } from '../../sheet.ts';

const CELLS = 12;
const NEAR = 0.8;

/** The share is capped at 100 % for the bar, not for the figure. A small use is shown as less than a cell. A limit of 0 is used up. */
export function bar(used: number, most: number, sheet: Sheet): string {
  const share = most > 0 ? used / most : 1;
  const full = Math.min(CELLS, Math.floor(share * CELLS));
  const [filled, open, sliver] = isUnicode(process.env) ? ['█', '░', '▏'] : ['#', '.', ':'];
  const begun = full === 0 && used > 0 ? sliver! : '';
  const percent = share > 0 && share < 0.01 ? '< 1 %' : `${Math.floor(share * 100)} %`;
  const paint = coloursOf(sheet.ink)[share >= 1 ? 'red' : share >= NEAR ? 'yellow' : 'green'];
  return `${paint(filled!.repeat(full) + begun)}${open!.repeat(CELLS - full - begun.length)} ${percent.padStart(5)}`;
}
