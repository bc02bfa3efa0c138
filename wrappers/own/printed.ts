// All that a CLI printed, from the open file that it was printed to.

import { fstatSync, readSync } from 'node:fs';

/**
 * null where that is more than may be read.
 * @param end what follows this offset is not read.
 */
export function printedIn(descriptor: number, maxBytes: number, end = Number.POSITIVE_INFINITY): string | null {
  const size = Math.min(fstatSync(descriptor).size, end);
  if (size > maxBytes) return null;
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(descriptor, bytes, length, size - length, length);
  return bytes.toString('utf8', 0, length);
}
