// Returns the beginning of a text that may be very long.

/** Returns at most `max` characters as a separate text, because a slice would keep the whole original text in memory. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max), 'utf16le').toString('utf16le');
