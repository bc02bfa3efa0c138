// Quotes a word for a shell.

/** Returns the word unchanged if no character is special to a shell, otherwise within single quotes. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
