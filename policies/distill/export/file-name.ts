// Makes the file name of an export: the book's name, in characters that every file system accepts.

import type { DistilledBook } from '../section.ts';
import { bookTitle } from './book-facts.ts';

export const EXPORT_FORMATS = ['md', 'txt', 'pdf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** @param copy from 2 on, if the name is taken by another file. */
export function exportName(distilled: DistilledBook, format: ExportFormat, copy = 1): string {
  const safe = bookTitle(distilled)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} ._()'-]+/gu, '-')
    .replace(/^[.\s-]+|[.\s-]+$/g, '');
  // Most file systems accept 255 bytes.
  let short = safe === '' ? 'book' : safe;
  while (Buffer.byteLength(short) > MAX_BYTES) short = [...short].slice(0, -1).join('');
  return `${short}${copy === 1 ? '' : ` (${copy})`}.${format}`;
}

const MAX_BYTES = 200;
