// A word as a shell takes it.

/** As it is where a shell reads nothing into it, else within single quotes. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
