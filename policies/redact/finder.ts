// Finds secrets in one pass: a table of character pairs shows where one may begin, and only there are rules tried.

import { encodedPrefixes } from './base64.ts';
import type { Secret } from './environment.ts';
import { SECRET_KINDS, type SecretKind } from './secret-kinds.ts';

export interface Hit {
  from: number;
  to: number;
  kind: string;
}

export interface Finder {
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
