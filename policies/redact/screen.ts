// Says of bytes, before they are made a text, whether a secret can be among them: what holds none is copied as it is.

import { periodOf } from '../scan/period.ts';
import type { Redactor } from './redactor.ts';

/** Whether anything in whole lines of UTF-8 may be taken out, or hidden; false: they can be written as they are. */
export type Screen = (bytes: Buffer) => boolean;

/** Worth it for a large text; null where a pattern of the user may match anything. */
export const screenOf = ({ prefixes }: Redactor): Screen | null => prefixes && createScreen(prefixes);

/** @param prefixes how every secret begins that is looked for; each has three bytes at least */
function createScreen(prefixes: readonly string[]): Screen {
  /** By two bytes, as the machine reads them at once: 1, a prefix may begin with them; 2, one byte before them. */
  const places = new Uint8Array(256 ** 2);
  /** By three bytes, in either case: five bits of each. */
  const begins = new Uint8Array(32 ** 3);
  const byHead = new Map<number, Buffer[]>();
  const wanted = prefixes.map((prefix) => Buffer.from(prefix));
  for (const prefix of wanted) {
    const head = headAt(prefix, 0);
    begins[head] = 1;
    byHead.set(head, [...(byHead.get(head) ?? []), prefix]);
    const [first, second, third] = prefix as unknown as [number, number, number];
    const [pair, next] = new Uint16Array(Uint8Array.of(first, second, second, third).buffer);
    places[pair!]! |= 1;
    places[next!]! |= 2;
  }
  const isOneAt = (bytes: Buffer, at: number) => {
    const head = headAt(bytes, at);
    return begins[head] === 1 && byHead.get(head)!.some((prefix) => prefix.every((byte, i) => bytes[at + i] === byte));
  };
  const hasOne = (bytes: Buffer) => {
    // Every second pair is enough: of each prefix it is one of the two.
    const odd = bytes.byteOffset & 1;
    const pairs = new Uint16Array(bytes.buffer, bytes.byteOffset + odd, Math.max(0, bytes.length - odd) >> 1);
    for (let i = 0; i < pairs.length; i += 1) {
      const place = places[pairs[i]!]!;
      if (place === 0) continue;
      const at = odd + 2 * i;
      if ((place & 1 && isOneAt(bytes, at)) || (place & 2 && isOneAt(bytes, at - 1))) return true;
    }
    return false;
  };
  return (bytes) => {
    // Of what repeats itself, all that stands anywhere stands in its beginning.
    const period = periodOf(bytes);
    const look = period === 0 ? bytes : bytes.subarray(0, period + Math.max(...wanted.map(({ length }) => length)));
    return mayHide(look) || hasOne(look);
  };
}

const headAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! & 31) << 10) | ((bytes[at + 1]! & 31) << 5) | (bytes[at + 2]! & 31);

/** Codes of a terminal, escapes of JSON, or lines that may be events of which several hold one secret. */
const mayHide = (bytes: Buffer): boolean =>
  bytes.includes(ESCAPE) || bytes.includes(BACKSLASH) || bytes[0] === BRACE || bytes.includes('\n{');

const ESCAPE = 0x1b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
