// What a PDF says of itself at its end: whether it is whole, whether it is encrypted, and how many pages it has, where that can be seen.

import { fstatSync, readSync } from 'node:fs';

interface PdfFound {
  isWhole: boolean;
  isEncrypted: boolean;
  /** null where the tree of pages lies in a compressed object. */
  pages: number | null;
}

/** Reads it piece by piece. */
export function lookAtPdf(fd: number): PdfFound {
  const { size } = fstatSync(fd);
  const tail = pieceAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const from = Number([...tail.matchAll(/startxref\s+(\d+)/g)].at(-1)?.[1] ?? Number.NaN);
  const isWhole = /%%EOF/.test(tail) && !(from >= size);
  return { isWhole, isEncrypted: isWhole && isEncrypted(fd, from, tail), pages: pagesOf(fd, size) };
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
function pagesOf(fd: number, size: number): number | null {
  let most: number | null = null;
  for (let at = 0; at < size; at += PIECE_BYTES - OVERLAP_BYTES) {
    const piece = pieceAt(fd, at, PIECE_BYTES);
    for (const { index } of piece.matchAll(/\/Type\s*\/Pages\b/g)) {
      const begin = Math.max(piece.lastIndexOf(' obj', index), index - OVERLAP_BYTES, 0);
      const end = piece.indexOf('endobj', index);
      const [, count] = /\/Count\s+(\d+)/.exec(piece.slice(begin, end < 0 ? index + OVERLAP_BYTES : end)) ?? [];
      if (count !== undefined) most = Math.max(most ?? 0, Number(count));
    }
  }
  return most;
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
