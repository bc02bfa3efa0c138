// Fits text into the width of a terminal: the only place that wraps, cuts or aligns lines. Words, such as an id, stay whole.

/**
 * Breaks each line at spaces. Further lines continue below the text: after a bullet, a number, or the last column of the line.
 * A word that is longer than the width stays on a line of its own.
 * @param width null for unlimited.
 */
export function wrapped(text: string, width: number | null): string {
  if (width === null) return text;
  return text
    .split('\n')
    .map((line) => (lengthOf(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const hang = hangOf(line, width);
  let column = 0;
  let isBegun = false;
  let out = '';
  for (const [piece] of line.matchAll(/ *[^ ]+/g)) {
    const word = piece.trimStart();
    if (isBegun && column + lengthOf(piece) > width) {
      out += `\n${' '.repeat(hang)}${word}`;
      column = hang + lengthOf(word);
    } else {
      out += piece;
      column += lengthOf(piece);
    }
    // A bullet alone on a line would say nothing.
    isBegun ||= column > hang;
  }
  return out;
}

/** The column at which the text of a line begins. */
function hangOf(line: string, width: number): number {
  const plain = line.replace(COLOUR, '');
  const most = width / 2;
  const gaps = [...plain.matchAll(/\S {2,}(?:\d+\. )?(?=\S)/g)].map(({ 0: gap, index }) => index + gap.length);
  const bullet = /^ *(?:[-•→↻✓✗…] |\d+\. )?/.exec(plain)![0].length;
  return [...gaps.reverse(), bullet].find((column) => column <= most) ?? 0;
}

/** A line within the width, with a mark if something is missing. */
export function cutLine(text: string, width: number | null): string {
  if (width === null || lengthOf(text) <= width) return text;
  let room = width - 1;
  let end = 0;
  for (const character of text) {
    room -= cellsOf(character);
    if (room < 0) break;
    end += character.length;
  }
  // Between words, unless that would lose much.
  const space = text.slice(0, end + 1).lastIndexOf(' ');
  return `${text.slice(0, space > end * 0.7 ? space : end)}…`;
}

/** In columns of a terminal. Colours take no room. */
export function lengthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text.replace(COLOUR, '')) columns += cellsOf(character);
  return columns;
}

export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));

const COLOUR = /\u001b\[[\d;]*m/g;

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const cellsOf = (character: string): number => (WIDE.test(character) ? 2 : /^\p{M}$/u.test(character) ? 0 : 1);

/** Each column is as wide as its longest word; no line ends in white space. */
export function columns(rows: readonly (readonly (string | number)[])[], indent = ''): string[] {
  const words = rows.map((row) => row.map(String));
  const widths: number[] = [];
  for (const row of words) for (const [i, word] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, word.length);
  return words.map((row) => (indent + row.map((word, i) => word.padEnd(widths[i]!)).join('  ')).trimEnd());
}
