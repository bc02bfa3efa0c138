// Looks through what may stand between the signs of a secret without being seen: codes of a terminal, escapes of JSON.

/** Whether there is anything of that kind in a text. */
export const hasEscapes = (text: string): boolean =>
  text.includes('\x1b[') || text.includes('\\u00') || text.includes('\\/');

/** Valid JSON stays valid, and of the same meaning but for the codes. */
export const unescaped = (text: string): string =>
  text
    .replace(CODES, (_, _none, before: string | undefined) => before ?? '')
    .replace(ESCAPES, (_, before: string, hex: string | undefined) => {
      const sign = hex === undefined ? '/' : String.fromCharCode(Number.parseInt(hex, 16));
      return before + (KEPT.has(sign) ? `\\u00${hex}` : sign);
    });

/** Behind an even number of backslashes only: each pair is one that is meant. */
const EVEN = String.raw`((?<!\\)(?:\\\\)*)`;
const CODES = new RegExp(String.raw`(?:()\x1b|${EVEN}\\u001[bB])\[[0-9;:?]*[A-Za-z]`, 'g');
const ESCAPES = new RegExp(String.raw`${EVEN}\\(?:u00([2-7][0-9a-fA-F])|/)`, 'g');
const KEPT = new Set(['"', '\\', '\x7f']);
