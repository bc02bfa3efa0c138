// The beginning of a text that may be very long.

/** At most `max` characters, in a text of their own: a slice would hold on to all of the text that it is cut from. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max), 'utf16le').toString('utf16le');
