// Detects the format of a book by its bytes, not its name, and refuses an unsuitable one before anything is sent.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import {
  BOOK_KINDS,
  type BookKind,
  createUtf8Check,
  HEAD_BYTES,
  isNamedAsBook,
  kindOfHead,
} from '../../../policies/distill/book-kinds.ts';
import { openFollowed, readAt, UnfitFileError } from '../../../state/disk/regular-file.ts';
import { ArchiveRefusal } from './archive.ts';
import { openEpub } from './epub.ts';

export type BookFound =
  | { how: 'book'; kind: BookKind; bytes: number; sha256: string; title: string | null }
  | { how: 'refused'; reason: BookRefusal; message: string };

type BookRefusal = 'unreadable' | 'empty' | 'not_a_book' | 'encrypted' | 'too_large' | 'truncated';

/** Sends nothing and writes nothing. @param limits the limits of the service. */
export async function lookAtBook(file: string, limits: Limits = BOOK_KINDS): Promise<BookFound> {
  const refused = (reason: BookRefusal, words: string): BookFound => ({
    how: 'refused',
    reason,
    message: `${file} ${words}`,
  });
  let fd: number;
  try {
    fd = openFollowed(file);
  } catch (error) {
    if (error instanceof UnfitFileError) return refused('unreadable', `${error.why}; name a book's file`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refused('unreadable', code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`);
  }
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return refused('empty', 'is empty (0 bytes)');
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    const read = readSync(fd, head, 0, HEAD_BYTES, 0);
    const found = kindOfHead(head.subarray(0, read), read === size);
    if (found.how === 'other') return refused('not_a_book', `is not a book: it is ${found.what}`);
    if (found.how === 'text' && isNamedAsBook(file))
      return refused(
        'not_a_book',
        `is no ${path.extname(file).slice(1).toUpperCase()} but a text; is it the page of an error that was saved?`,
      );
    const kind: BookKind = found.how === 'archive' ? 'epub' : found.how;
    const { called, maxBytes, source, seen } = limits[kind];
    if (size > maxBytes)
      return refused(
        'too_large',
        `is ${called} of ${size} bytes; the service takes ${maxBytes} (${source}, seen ${seen}); split it, and distil its parts`,
      );
    const within = kind === 'epub' ? await lookAtEpub(file) : kind === 'pdf' ? lookIntoPdf(fd, limits) : FIT;
    if (within.how === 'refused') return refused(within.reason, within.words);
    const check = kind === 'text' ? createUtf8Check() : null;
    const sha256 = await hashOf(fd, (bytes) => check?.take(bytes));
    const text = check === null ? FIT : lookAtText(check.said());
    if (text.how === 'refused') return refused(text.reason, text.words);
    return { how: 'book', kind, bytes: size, sha256, title: within.title };
  } finally {
    closeSync(fd);
  }
}

type Limits = Readonly<Record<BookKind, Pick<(typeof BOOK_KINDS)[BookKind], 'called' | 'source' | 'seen'> & Numbers>>;
interface Numbers {
  maxBytes: number;
  maxPages: number | null;
}

type Within = { how: 'read'; title: string | null } | { how: 'refused'; reason: BookRefusal; words: string };

function lookIntoPdf(fd: number, limits: Limits): Within {
  const { isWhole, isEncrypted, hasPage, pages } = lookAtPdf(fd);
  const { maxPages, source, seen } = limits.pdf;
  if (!isWhole) return no('truncated', 'is a PDF without its end; it was cut, fetch it again');
  if (isEncrypted)
    return no('encrypted', 'is an encrypted PDF, which the service cannot read; save a copy without a password');
  if (pages === 0) return no('empty', 'is a PDF without a page');
  if (!hasPage)
    return no('not_a_book', 'has the marks of a PDF, but no page is found in it; open it and save it again');
  if (maxPages !== null && pages !== null && pages > maxPages)
    return no('too_large', `has ${pages} pages; the service reads ${maxPages} (${source}, seen ${seen}); split it`);
  return { how: 'read', title: null };
}

async function lookAtEpub(file: string): Promise<Within> {
  try {
    const epub = await openEpub(file);
    try {
      // Reads to the end, because a later chapter may be refused too.
      let isBlank = true;
      for await (const _ of epub.blocks()) isBlank = false;
      if (!isBlank) return { how: 'read', title: epub.title };
      return no('empty', 'is an EPUB without a word in its chapters');
    } finally {
      epub.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveRefusal)) throw error;
    return no(error.reason, WAYS_OUT[error.reason](error.message));
  }
}

const WAYS_OUT: Record<ArchiveRefusal['reason'], (words: string) => string> = {
  encrypted: (words) => `${words}; only a copy without protection can be read`,
  truncated: (words) => `${words}; it was cut, fetch it again`,
  too_large: (words) => `${words}; split it, and distil its parts`,
  not_a_book: (words) => words,
};

const FIT: Within = { how: 'read', title: null };

function lookAtText({ bad, hasWord }: { bad: number | null; hasWord: boolean }): Within {
  if (bad !== null) return no('not_a_book', `is not text in UTF-8: its byte ${bad} does not fit; save it in UTF-8`);
  return hasWord ? FIT : no('empty', 'is a text without a word');
}

const no = (reason: BookRefusal, words: string): Within => ({ how: 'refused', reason, words });

async function hashOf(fd: number, look: (bytes: Buffer) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream('', { fd, start: 0, autoClose: false })) {
    hash.update(bytes as Buffer);
    look(bytes as Buffer);
  }
  return hash.digest('hex');
}

interface PdfFound {
  isWhole: boolean;
  isEncrypted: boolean;
  /** Whether it has any page, or a tree of pages. */
  hasPage: boolean;
  /** null if the tree of pages is in a compressed object. */
  pages: number | null;
}

/** Reads the file piece by piece. */
function lookAtPdf(fd: number): PdfFound {
  const { size } = fstatSync(fd);
  const tail = readAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES).toString('latin1');
  const from = Number([...tail.matchAll(/startxref\s+(\d+)/g)].at(-1)?.[1] ?? Number.NaN);
  const isWhole = /%%EOF/.test(tail) && !(from >= size);
  return { isWhole, isEncrypted: isWhole && isEncrypted(fd, from, tail), ...pagesOf(fd, size) };
}

/** Some writers add kilobytes after the end. */
const TAIL_BYTES = 64 * 1024;

/** The last trailer, or the dictionary of the cross-reference stream that replaces it, names the key of an encrypted file. */
function isEncrypted(fd: number, from: number, tail: string): boolean {
  if (NAMES_KEY.test(tail.slice(tail.lastIndexOf('trailer')))) return true;
  const piece = Number.isNaN(from) ? '' : readAt(fd, from, PIECE_BYTES).toString('latin1');
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
function pagesOf(fd: number, size: number): { hasPage: boolean; pages: number | null } {
  let most: number | null = null;
  let hasPage = false;
  for (let at = 0; at < size; at += PIECE_BYTES - OVERLAP_BYTES) {
    const piece = readAt(fd, at, PIECE_BYTES).toString('latin1');
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
