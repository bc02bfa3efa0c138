// Finds secrets in one pass, also in base64: a table of character pairs shows where one may begin; only there are rules tried.

import type { Secret } from './environment.ts';
import { SECRET_KINDS, type SecretKind } from './secret-kinds.ts';

export interface Hit {
  from: number;
  to: number;
  kind: string;
}

interface Finder {
  /** Returns the first secret that begins at or after `from` and whose first character is before `until`. */
  next(text: string, from: number, until: number): Hit | null;
}

interface Entry {
  prefix: string;
  find: SecretKind['find'];
  kind: string;
}

/** `secrets` are found wherever they occur, longest first; the known kinds are found at their prefix. */
export function createFinder(secrets: readonly Secret[]): Finder {
  const pairs = new Uint8Array(128 * 128);
  const entries = new Map<number, Entry[]>();
  const odd: Secret[] = [];
  const add = (entry: Entry) => {
    const key = pairAt(entry.prefix, 0);
    pairs[key] = 1;
    entries.set(key, [...(entries.get(key) ?? []), entry]);
  };

  add({ prefix: PLACEHOLDER, find: placeholder, kind: '' });
  for (const { kind, value } of secrets) {
    if (value.charCodeAt(0) > 127 || value.charCodeAt(1) > 127) odd.push({ kind, value });
    else add({ prefix: value, find: (_text, at) => [at, at + value.length], kind });
  }
  for (const { kind, prefixes, find } of SECRET_KINDS) for (const prefix of prefixes) add({ prefix, find, kind });
  for (const { kind, prefixes, find, inBase64 } of SECRET_KINDS)
    if (inBase64)
      for (const prefix of prefixes) for (const look of encodedPrefixes(prefix, find)) add({ ...look, kind });

  const foundAt = (text: string, at: number, floor: number): Hit | null => {
    for (const { prefix, find, kind } of entries.get(pairAt(text, at)) as Entry[]) {
      if (text.charCodeAt(at + 2) !== prefix.charCodeAt(2) && prefix.length > 2) continue;
      if (!text.startsWith(prefix, at)) continue;
      const span = find(text, at, floor);
      if (span) return { from: span[0], to: span[1], kind };
    }
    return null;
  };
  const nextKnown = (text: string, from: number, until: number): Hit | null => {
    const last = Math.min(until, text.length - 1);
    let floor = from;
    let code = text.charCodeAt(from);
    for (let at = from; at < last; at += 1) {
      let following = text.charCodeAt(at + 1);
      if ((code | following) < 128 && pairs[code * 128 + following]) {
        const hit = foundAt(text, at, floor);
        if (hit && hit.kind !== '') return hit;
        // Text that is already redacted is skipped.
        if (hit) {
          floor = hit.to;
          at = floor - 1;
          following = text.charCodeAt(floor);
        }
      }
      code = following;
    }
    return null;
  };

  return {
    next(text, from, until) {
      let hit = nextKnown(text, from, until);
      // A value that begins with a character beyond ASCII has no pair in the table; such values are very rare.
      for (const { kind, value } of odd) {
        const at = text.indexOf(value, from);
        if (at >= 0 && at < until && at < (hit?.from ?? until)) hit = { from: at, to: at + value.length, kind };
      }
      return hit;
    },
  };
}

const PLACEHOLDER = '[REDACTED:';

function placeholder(text: string, at: number): [number, number] | null {
  const end = text.slice(at, at + 100).indexOf(']');
  return end < 0 ? null : [at, at + end + 1];
}

const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);

type Find = SecretKind['find'];

interface EncodedPrefix {
  prefix: string;
  find: Find;
}

/**
 * Returns how a prefix of a kind looks in base64, standard and URL-safe, with a function that finds the secret from there. There
 * are three encodings, one for each position in a group.
 */
function encodedPrefixes(prefix: string, find: Find): EncodedPrefix[] {
  return ['', '_', '__'].flatMap((before) => {
    const [first, sure] = [Math.ceil((before.length * 8) / 6), Math.floor(((before.length + prefix.length) * 8) / 6)];
    // The characters at either end that also encode neighbouring bytes can be any.
    const usual = btoa(before + prefix).slice(first, sure);
    const safe = usual.replaceAll('+', '-').replaceAll('/', '_');
    const found = findEncoded(prefix, find, first, before.length);
    return [...new Set([usual, safe])].map((look) => ({ prefix: look, find: found }));
  });
}

/** @param first how many characters of its group precede the prefix. @param shift how many bytes of it do. */
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
