// Reads what a CLI printed, from the open file of its output, and what it wrote to the file of its answer.

import { fstatSync, readSync } from 'node:fs';
import { readRegular } from '../../state/disk/regular-file.ts';
import type { Written } from './conclude.ts';

/** Anything in that place was paid for. */
export function writtenTo(file: string, maxBytes: number): Written {
  try {
    return { how: 'read', text: readRegular(file, maxBytes) };
  } catch (error) {
    const { code, why = `gives ${code}` } = error as NodeJS.ErrnoException & { why?: string };
    if (code === undefined) throw error;
    if (code === 'ENOENT') return { how: 'absent' };
    return code === 'EFBIG' ? { how: 'too_large' } : { how: 'unfit', why };
  }
}

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
