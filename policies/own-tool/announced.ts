// A line of stderr in which a described CLI announces a further try, and the cause that it gives.

/** What the last `*` of the phrase stands for, up to the words after it; the whole line where it has none. null: no phrase fits. */
export function announcedIn(phrases: readonly string[], line: string): string | null {
  for (const phrase of phrases) {
    const found = match(phrase.split('*'), line);
    if (found !== null) return found;
  }
  return null;
}

/** Each piece at the first place after the one before it: linear in the line. */
function match(pieces: readonly string[], line: string): string | null {
  let at = 0;
  let last = line;
  for (const [i, piece] of pieces.entries()) {
    const isEnd = i === pieces.length - 1;
    const place = isEnd && piece === '' ? line.length : line.indexOf(piece, at);
    if (place === -1) return null;
    if (i > 0) last = line.slice(at, place);
    at = place + piece.length;
  }
  return last;
}
