// Encodes any text as one part of an address.

/** An address cannot contain half of a surrogate pair. */
export const partOf = (text: string): string => encodeURIComponent(text.toWellFormed());
