// Text for people: without the characters that a terminal obeys, and those that turn the order of the others about.

/** Line ends and tabs stay; each other one becomes a space. */
export const visible = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
