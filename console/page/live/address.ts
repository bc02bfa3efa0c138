// Any text as one part of an address.

/** Half of a pair is no text that an address may have. */
export const partOf = (text: string): string => encodeURIComponent(text.toWellFormed());
