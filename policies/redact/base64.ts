// Finds the known kinds of secrets in base64: a prefix has one look for each of the three places in a group where it may begin.

import type { SecretKind } from './secret-kinds.ts';

type Find = SecretKind['find'];

interface EncodedPrefix {
  prefix: string;
  find: Find;
}

/** How a prefix of a kind looks in base64, usual and url-safe, and what finds the secret from there. */
export function encodedPrefixes(prefix: string, find: Find): EncodedPrefix[] {
  return ['', '_', '__'].flatMap((before) => {
    const [first, sure] = [Math.ceil((before.length * 8) / 6), Math.floor(((before.length + prefix.length) * 8) / 6)];
    // What it shares with its neighbours at either end may be any sign.
    const usual = btoa(before + prefix).slice(first, sure);
    const safe = usual.replaceAll('+', '-').replaceAll('/', '_');
    const found = findEncoded(prefix, find, first, before.length);
    return [...new Set([usual, safe])].map((look) => ({ prefix: look, find: found }));
  });
}

/** @param first how many signs of its group stand before the look. @param shift how many bytes of it */
function findEncoded(prefix: string, find: Find, first: number, shift: number): Find {
  return (text, at, floor) => {
    const group = at - first;
    if (group < floor) return null;
    // The byte before it says whether a word may begin.
    const from = isGroup(text, group - 4, floor) ? group - 4 : group;
    const begin = group - from - (group - from) / 4 + shift;
    for (let signs = FIRST_LOOK; ; signs *= 8) {
      const run = runFrom(text, from, signs);
      const decoded = bytesOf(run);
      if (!decoded.startsWith(prefix, begin)) return null;
      const span = find(decoded, begin, 0);
      const isCut = run.length === signs && signs < MOST_SIGNS;
      // What it needs may come later, and what was found may go on.
      if (!isCut || (span === null ? signs > FIRST_LOOK : span[1] < decoded.length - FIRST_LOOK))
        return (
          span && [from + Math.floor((span[0] * 8) / 6), from + Math.min(run.length, Math.ceil((span[1] * 8) / 6))]
        );
    }
  };
}

/** Enough for the beginning of any kind; a text of nothing but prefixes is so looked at in linear time. */
const FIRST_LOOK = 128;
const MOST_SIGNS = 64 * 1024;

const SIGNS = /[A-Za-z0-9+/_-]*/y;

function runFrom(text: string, from: number, most: number): string {
  SIGNS.lastIndex = 0;
  return SIGNS.exec(text.slice(from, from + most))![0];
}

const isGroup = (text: string, from: number, floor: number): boolean =>
  from >= floor && runFrom(text, from, 4).length === 4;

/** One sign alone at the end has no byte. */
function bytesOf(run: string): string {
  const usual = run.replaceAll('-', '+').replaceAll('_', '/');
  return atob(usual.slice(0, usual.length - (usual.length % 4 === 1 ? 1 : 0)));
}
