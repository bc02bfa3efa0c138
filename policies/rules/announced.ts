// Finds the cause in a line of stderr with which a described CLI announces a retry.

/**
 * Returns the text for the last `*` of the phrase, up to the words after it; the whole line if the phrase has no `*`. null if no
 * phrase matches.
 */
export function announcedIn(phrases: readonly string[], line: string): string | null {
  for (const phrase of phrases) {
    const found = match(phrase.split('*'), line);
    if (found !== null) return found;
  }
  return null;
}

/** Finds each piece at the first place after the previous one. This takes time linear in the line. */
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
