// Reads facts of a PDF: whether it is complete and encrypted, and its number of pages if that is visible.

import { fstatSync, readSync } from 'node:fs';
import { constants, inflateSync } from 'node:zlib';

interface PdfFound {
  isWhole: boolean;
  isEncrypted: boolean;
  /** Whether it has any page, or a tree of pages. */
  hasPage: boolean;
  /** null if the tree of pages is in a compressed object. */
  pages: number | null;
}

/** Reads the file piece by piece. */
export function lookAtPdf(fd: number): PdfFound {
  const { size } = fstatSync(fd);
  const tail = pieceAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const from = Number([...tail.matchAll(/startxref\s+(\d+)/g)].at(-1)?.[1] ?? Number.NaN);
  const isWhole = /%%EOF/.test(tail) && !(from >= size);
  return { isWhole, isEncrypted: isWhole && isEncrypted(fd, from, tail), ...pagesOf(fd, size) };
}

/** Some writers add kilobytes after the end. */
const TAIL_BYTES = 64 * 1024;

/** The last trailer, or the dictionary of the cross-reference stream that replaces it, names the key of an encrypted file. */
function isEncrypted(fd: number, from: number, tail: string): boolean {
  if (NAMES_KEY.test(tail.slice(tail.lastIndexOf('trailer')))) return true;
  const piece = Number.isNaN(from) ? '' : pieceAt(fd, from, PIECE_BYTES);
  // In a linearized file (for the web) the valid trailer is at the beginning.
  if (/^\s*xref/.test(piece)) return NAMES_KEY.test(between(piece, 'trailer', 'startxref'));
  return /^\s*\d+\s+\d+\s+obj/.test(piece) && NAMES_KEY.test(between(piece, '<<', 'stream'));
}

const NAMES_KEY = /\/Encrypt\b/;

function between(text: string, begin: string, end: string): string {
  const from = text.indexOf(begin);
  return from < 0 ? '' : text.slice(from, text.indexOf(end, from));
}

/** The root of the page tree counts all pages, so the largest count is the total. */
function pagesOf(fd: number, size: number): Pick<PdfFound, 'hasPage' | 'pages'> {
  let most: number | null = null;
  let hasPage = false;
  for (let at = 0; at < size; at += PIECE_BYTES - OVERLAP_BYTES) {
    const piece = pieceAt(fd, at, PIECE_BYTES);
    hasPage ||= PAGE.test(piece) || hasPackedPage(piece);
    for (const { index } of piece.matchAll(/\/Type\s*\/Pages\b/g)) {
      const begin = Math.max(piece.lastIndexOf(' obj', index), index - OVERLAP_BYTES, 0);
      const end = piece.indexOf('endobj', index);
      const [, count] = /\/Count\s+(\d+)/.exec(piece.slice(begin, end < 0 ? index + OVERLAP_BYTES : end)) ?? [];
      if (count !== undefined) most = Math.max(most ?? 0, Number(count));
    }
  }
  return { hasPage, pages: most };
}

const PAGE = /\/Type\s*\/Pages?\b/;

/** In newer files the pages are objects within a compressed stream. */
function hasPackedPage(piece: string): boolean {
  for (const { index } of piece.matchAll(/\/Type\s*\/ObjStm\b/g)) {
    const begin = /stream\r?\n/.exec(piece.slice(index, index + MAX_DICTIONARY));
    const from = begin === null ? -1 : index + begin.index + begin[0].length;
    if (from < 0) continue;
    const objects = unpacked(Buffer.from(piece.slice(from, from + OVERLAP_BYTES), 'latin1'));
    // A filter other than Flate cannot be read here, and is not a reason to refuse the book.
    if (objects === null || PAGE.test(objects)) return true;
  }
  return false;
}

const MAX_DICTIONARY = 4096;
const MAX_UNPACKED = 8 * 1024 * 1024;

/** Unpacks as much as the piece holds; null if it is not compressed by Flate. */
function unpacked(bytes: Buffer): string | null {
  try {
    const all = inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED });
    return all.toString('latin1');
  } catch {
    return null;
  }
}

const PIECE_BYTES = 1024 * 1024;
const OVERLAP_BYTES = 64 * 1024;

function pieceAt(fd: number, at: number, bytes: number): string {
  const buffer = Buffer.allocUnsafe(bytes);
  let read = 0;
  for (let more = -1; more !== 0 && read < bytes; read += more)
    more = readSync(fd, buffer, read, bytes - read, at + read);
  return buffer.toString('latin1', 0, read);
}
