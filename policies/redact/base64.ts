// Finds the known kinds of secrets in base64. Each prefix has three encodings, one for each position in a group.

import type { SecretKind } from './secret-kinds.ts';

type Find = SecretKind['find'];

interface EncodedPrefix {
  prefix: string;
  find: Find;
}

/** Returns how a prefix of a kind looks in base64, standard and URL-safe, with a function that finds the secret from there. */
export function encodedPrefixes(prefix: string, find: Find): EncodedPrefix[] {
  return ['', '_', '__'].flatMap((before) => {
    const [first, sure] = [Math.ceil((before.length * 8) / 6), Math.floor(((before.length + prefix.length) * 8) / 6)];
    // The characters at either end that also encode neighbouring bytes can be any.
    const usual = btoa(before + prefix).slice(first, sure);
    const safe = usual.replaceAll('+', '-').replaceAll('/', '_');
    const found = findEncoded(prefix, find, first, before.length);
    return [...new Set([usual, safe])].map((look) => ({ prefix: look, find: found }));
  });
}

/**
 * @param first how many characters of its group come before the prefix.
 * @param shift how many bytes of the group come before the prefix.
 */
function findEncoded(prefix: string, find: Find, first: number, shift: number): Find {
  return (text, at, floor) => {
    const group = at - first;
    if (group < floor) return null;
    // The byte before it shows whether a word may begin.
    const from = isGroup(text, group - 4, floor) ? group - 4 : group;
    const begin = group - from - (group - from) / 4 + shift;
    for (let signs = FIRST_LOOK; ; signs *= 8) {
      const run = runFrom(text, from, signs);
      const decoded = bytesOf(run);
      if (!decoded.startsWith(prefix, begin)) return null;
      const span = find(decoded, begin, 0);
      const isCut = run.length === signs && signs < MOST_SIGNS;
      // The required text may come later, and the secret that was found may continue.
      if (!isCut || (span === null ? signs > FIRST_LOOK : span[1] < decoded.length - FIRST_LOOK))
        return (
          span && [from + Math.floor((span[0] * 8) / 6), from + Math.min(run.length, Math.ceil((span[1] * 8) / 6))]
        );
    }
  };
}

/** Enough for the beginning of any kind. Thus even a text of prefixes only is searched in linear time. */
const FIRST_LOOK = 128;
const MOST_SIGNS = 64 * 1024;

const SIGNS = /[A-Za-z0-9+/_-]*/y;

function runFrom(text: string, from: number, most: number): string {
  SIGNS.lastIndex = 0;
  return SIGNS.exec(text.slice(from, from + most))![0];
}

const isGroup = (text: string, from: number, floor: number): boolean =>
  from >= floor && runFrom(text, from, 4).length === 4;

/** A single character at the end does not encode a byte. */
function bytesOf(run: string): string {
  const usual = run.replaceAll('-', '+').replaceAll('_', '/');
  return atob(usual.slice(0, usual.length - (usual.length % 4 === 1 ? 1 : 0)));
}
