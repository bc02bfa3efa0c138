// Finds all kinds of volatile tokens in a text, by the bench's own patterns, not by the measured code.

import type { TokenKind } from './operator.ts';
import { AMOUNTS } from './tokens/amounts.ts';
import { IDS, SECRETS } from './tokens/ids.ts';
import { PLACES } from './tokens/places.ts';
import { TIMES } from './tokens/times.ts';

/** A path may contain a time, an id or a version. */
const LONG = ['URL', 'mail', 'Windows path', 'path in the home folder', 'path'];
const isLong = ({ name }: TokenKind): boolean => LONG.includes(name);

/** Larger kinds first: a token inside one that was found is part of it. */
export const TOKEN_KINDS: readonly TokenKind[] = [
  ...SECRETS,
  ...PLACES.filter(isLong),
  ...TIMES.slice(0, 8),
  ...IDS,
  ...PLACES.filter((kind) => !isLong(kind)),
  ...TIMES.slice(8),
  ...AMOUNTS,
];

export interface Token {
  kind: TokenKind;
  from: number;
  to: number;
}

const known = new Map<string, readonly Token[]>();

/** In order, none within another. Cached, since every operator requests the tokens of the same texts. */
export function tokensOf(text: string): readonly Token[] {
  const tokens = known.get(text) ?? find(text);
  known.set(text, tokens);
  return tokens;
}

function find(text: string): Token[] {
  const taken = new Uint8Array(text.length);
  const tokens: Token[] = [];
  for (const kind of TOKEN_KINDS)
    for (const { 0: found, index: from } of text.matchAll(kind.find)) {
      const to = from + found.length;
      if (found === '' || taken.subarray(from, to).includes(1)) continue;
      taken.fill(1, from, to);
      tokens.push({ kind, from, to });
    }
  return tokens.sort((a, b) => a.from - b.from);
}

/** Replaces parts of a text, which are in order. */
export function replaced(
  text: string,
  parts: readonly { from: number; to: number }[],
  make: (old: string) => string,
): string {
  let changed = '';
  let at = 0;
  for (const { from, to } of parts) {
    changed += text.slice(at, from) + make(text.slice(from, to));
    at = to;
  }
  return changed + text.slice(at);
}
