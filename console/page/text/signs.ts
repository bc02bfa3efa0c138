// Finds characters that are invisible or mislead: control characters, marks that change the direction, zero-width characters.

/** A piece of a text as it is, or the name of a character that is shown instead of it. */
type TextPiece = { text: string } | { sign: string; name: string };

/** Joiners stay, since letters and emoji are made with them. */
const HIDDEN =
  /(?![\n\t])[\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u034f/gu;

export function piecesOf(text: string): TextPiece[] {
  if (text.search(HIDDEN) < 0) return [{ text }];
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: sign, index } of text.matchAll(HIDDEN)) {
    // A Windows line ends with two characters.
    if (sign === '\r' && text[index + 1] === '\n') {
      if (index > from) pieces.push({ text: text.slice(from, index) });
    } else {
      if (index > from) pieces.push({ text: text.slice(from, index) });
      pieces.push(named(sign));
    }
    from = index + sign.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** Unicode has pictures for the C0 control characters. */
function named(sign: string): TextPiece {
  const code = sign.codePointAt(0)!;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code < 0x20) return { sign: String.fromCodePoint(0x2400 + code), name };
  return code === 0x7f ? { sign: '\u2421', name } : { sign: name, name };
}

/** The text with signs in the place of characters that would not be seen, where nothing can be marked. */
export const plain = (text: string): string =>
  piecesOf(text)
    .map((piece) => ('text' in piece ? piece.text : piece.sign))
    .join('');
