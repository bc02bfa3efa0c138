// Removes from text for users terminal control characters and those that reverse the order of others.

/** Line ends and tabs remain; each other control character becomes a space. */
export const visible = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
