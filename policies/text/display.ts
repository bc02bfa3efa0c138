// Writes text for readers: visible characters only, one line, at most so long, quoted for a shell.

/** Removes control characters and those that reverse others. Line ends and tabs remain; the others become spaces. */
export const visible = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');

/** Removes the codes of a terminal's colours, also those that JSON escapes. */
export const withoutColours = (text: string): string => text.replace(COLOURS, '');

const COLOURS = /(?:\u001b|\\{1,8}u001[bB])\[[\d;:]*m/g;

/** Writes a text as one line of a page, and cuts it if it is too long. */
export const oneLine = (text: string, max = Number.POSITIVE_INFINITY): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
};

/** Writes text from a file, which may contain anything, as one line for a terminal. */
export const printable = (text: string, max?: number): string => oneLine(visible(text), max);

/** Returns at most `max` characters as a separate text, because a slice would keep the whole original text in memory. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max), 'utf16le').toString('utf16le');

/** Separates the thousands. */
export const figure = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 task`, `2 tasks`. */
export const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

/** Four digits below a dollar, since a call may cost less than a cent. */
export const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

/** Formats a duration as people write it: 8 s, 3 min 20 s, 2 min, 2 h 5 min. */
export function spell(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const [whole, rest] =
    minutes < 60 ? [`${minutes} min`, `${seconds % 60} s`] : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return rest.startsWith('0 ') ? whole : `${whole} ${rest}`;
}

/** The same for what has ended: a tenth of a second counts. */
export const tookWords = (ms: number): string => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : spell(ms));

/** Replaces half a surrogate pair, which no encoding has, with the replacement character. */
export const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

/** Returns the word unchanged if no character is special to a shell, otherwise within single quotes. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Compares by code units, as a sort does without a function. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** `a, b and 3 more`. */
export const firstNames = (names: readonly string[], most: number): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
