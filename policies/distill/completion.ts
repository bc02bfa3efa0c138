// Detects the end of a book: the answer ends with the end marker, a literal text.

export const DEFAULT_END_MARKER = '<end_of_book>';

/**
 * Only white space may follow the marker, and white space around the marker itself is ignored. Elsewhere in the text it has no
 * meaning.
 */
export function reachesEnd(text: string, marker: string): boolean {
  const literal = marker.trim();
  return literal !== '' && text.trimEnd().endsWith(literal);
}

/** Returns the text without the marker at its end. */
export const withoutMarker = (text: string, marker: string): string =>
  reachesEnd(text, marker) ? text.trimEnd().slice(0, -marker.trim().length).trimEnd() : text;
