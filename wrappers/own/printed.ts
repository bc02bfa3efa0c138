// All that a CLI printed, from the open file that it was printed to.

import { fstatSync, readSync } from 'node:fs';

/** null where that is more than may be read. */
export function printedIn(descriptor: number, maxBytes: number): string | null {
  const { size } = fstatSync(descriptor);
  if (size > maxBytes) return null;
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(descriptor, bytes, length, size - length, length);
  return bytes.toString('utf8', 0, length);
}
