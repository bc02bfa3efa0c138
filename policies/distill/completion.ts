// Whether a book is at its end: the end marker, a literal, is the last thing that was said.

export const DEFAULT_END_MARKER = '<end_of_book>';

/** Behind it only white space; in the middle it is text like any other. */
export const reachesEnd = (text: string, marker: string): boolean => marker !== '' && text.trimEnd().endsWith(marker);

/** The text without the marker at its end. */
export const withoutMarker = (text: string, marker: string): string =>
  reachesEnd(text, marker) ? text.trimEnd().slice(0, -marker.length).trimEnd() : text;
