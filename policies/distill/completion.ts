// Whether a book is at its end: the end marker, a literal, is the last thing that was said.

export const DEFAULT_END_MARKER = '<end_of_book>';

/** Behind it only white space, and none of its own counts; in the middle it is text like any other. */
export function reachesEnd(text: string, marker: string): boolean {
  const literal = marker.trim();
  return literal !== '' && text.trimEnd().endsWith(literal);
}

/** The text without the marker at its end. */
export const withoutMarker = (text: string, marker: string): string =>
  reachesEnd(text, marker) ? text.trimEnd().slice(0, -marker.trim().length).trimEnd() : text;
