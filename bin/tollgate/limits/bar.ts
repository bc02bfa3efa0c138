// Draws how much of a limit is used, as a bar with its share: `███░░░░░░░  25 %`.

import { coloursOf, isUnicode, type Sheet } from '../../sheet.ts';

const CELLS = 12;
const NEAR = 0.8;

/** The share is capped at 100 % for the bar, not for the figure. A limit of 0 is used up. */
export function bar(used: number, most: number, sheet: Sheet): string {
  const share = most > 0 ? used / most : 1;
  const full = Math.min(CELLS, Math.max(used > 0 ? 1 : 0, Math.floor(share * CELLS)));
  const [filled, open] = isUnicode(process.env) ? ['█', '░'] : ['#', '.'];
  const paint = coloursOf(sheet.ink)[share >= 1 ? 'red' : share >= NEAR ? 'yellow' : 'green'];
  return `${paint(filled!.repeat(full))}${open!.repeat(CELLS - full)} ${`${Math.floor(share * 100)} %`.padStart(5)}`;
}
