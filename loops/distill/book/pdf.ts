// What a PDF says about itself: whether it is whole, whether it is encrypted, and how many pages it has, where that can be seen.

import { fstatSync, readSync } from 'node:fs';
import { constants, inflateSync } from 'node:zlib';

interface PdfFound {
  isWhole: boolean;
  isEncrypted: boolean;
  /** Whether any page, or a tree of pages, is found in it. */
  hasPage: boolean;
  /** null where the tree of pages is in a compressed object. */
  pages: number | null;
}

/** Reads it piece by piece. */
export function lookAtPdf(fd: number): PdfFound {
  const { size } = fstatSync(fd);
  const tail = pieceAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const from = Number([...tail.matchAll(/startxref\s+(\d+)/g)].at(-1)?.[1] ?? Number.NaN);
  const isWhole = /%%EOF/.test(tail) && !(from >= size);
  return { isWhole, isEncrypted: isWhole && isEncrypted(fd, from, tail), ...pagesOf(fd, size) };
}

/** Some writers put kilobytes behind the end. */
const TAIL_BYTES = 64 * 1024;

/** The last trailer, or the dictionary of a cross-reference stream in its place, names the key of an encrypted one. */
function isEncrypted(fd: number, from: number, tail: string): boolean {
  if (NAMES_KEY.test(tail.slice(tail.lastIndexOf('trailer')))) return true;
  const piece = Number.isNaN(from) ? '' : pieceAt(fd, from, PIECE_BYTES);
  // In a file for the web the trailer that counts stands at its beginning.
  if (/^\s*xref/.test(piece)) return NAMES_KEY.test(between(piece, 'trailer', 'startxref'));
  return /^\s*\d+\s+\d+\s+obj/.test(piece) && NAMES_KEY.test(between(piece, '<<', 'stream'));
}

const NAMES_KEY = /\/Encrypt\b/;

function between(text: string, begin: string, end: string): string {
  const from = text.indexOf(begin);
  return from < 0 ? '' : text.slice(from, text.indexOf(end, from));
}

/** The root of the tree of pages counts them all, so the largest count is theirs. */
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
    // A filter other than Flate cannot be read here, and is no reason to refuse the book.
    if (objects === null || PAGE.test(objects)) return true;
  }
  return false;
}

const MAX_DICTIONARY = 4096;
const MAX_UNPACKED = 8 * 1024 * 1024;

/** As much of it as the piece holds; null where it is not compressed by Flate. */
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
