// An export on the disk: whole or not at all, and never in the place of anything but an earlier export of the same book.

import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ExportFormat, exportName } from '../../../policies/distill/export/file-name.ts';
import { asMarkdown } from '../../../policies/distill/export/markdown.ts';
import { asPlainText } from '../../../policies/distill/export/plain-text.ts';
import type { DistilledBook } from '../../../policies/distill/section.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { kindOf, openRegular, UnfitFileError } from '../../../state/disk/regular-file.ts';
import { replaceFile } from '../../../state/disk/replace-file.ts';

interface ExportWish {
  distilled: DistilledBook;
  format: ExportFormat;
  /** Files, for the PDF. */
  fonts: readonly string[];
  /** Where it goes under the book's name; a file of its own where `out` is given. */
  folder: string;
  out: string | null;
}

type Exported =
  | { how: 'written'; file: string; bytes: number; replaced: boolean; notes: string[] }
  | { how: 'refused'; why: string };

/** Throws what the operating system throws. */
export async function writeExport({ distilled, format, fonts, folder, out }: ExportWish): Promise<Exported> {
  const place = placeFor(distilled, format, folder, out);
  if (place.how === 'refused') return place;
  const rendered = await render(distilled, format, fonts);
  if (rendered.how === 'refused') return rendered;
  const { bytes, note } = rendered;
  makeFolder(path.dirname(place.file));
  replaceFile(place.file, 'synced', (fd) => writeFileSync(fd, bytes));
  const notes = [...place.notes, ...(note === null ? [] : [note])];
  return { how: 'written', file: place.file, bytes: bytes.length, replaced: place.replaced, notes };
}

async function render(
  distilled: DistilledBook,
  format: ExportFormat,
  fonts: readonly string[],
): Promise<{ how: 'rendered'; bytes: Buffer; note: string | null } | { how: 'refused'; why: string }> {
  if (format === 'pdf') return (await import('./render-pdf.ts')).renderPdf(distilled, fonts);
  const text = format === 'md' ? asMarkdown(distilled) : asPlainText(distilled);
  return { how: 'rendered', bytes: Buffer.from(text), note: null };
}

type Place = { how: 'free'; file: string; replaced: boolean; notes: string[] } | { how: 'refused'; why: string };

const MAX_COPIES = 100;

function placeFor(distilled: DistilledBook, format: ExportFormat, folder: string, out: string | null): Place {
  if (out !== null) {
    const said = standsThere(out, distilled.book.sha256);
    if (said === 'other')
      return {
        how: 'refused',
        why: `--out: ${out} is ${kindOf(out)}, and no export of this book; nothing is overwritten: name another file`,
      };
    return { how: 'free', file: out, replaced: said === 'ours', notes: [] };
  }
  const wished = path.join(folder, exportName(distilled, format));
  for (let copy = 1; copy <= MAX_COPIES; copy += 1) {
    const file = path.join(folder, exportName(distilled, format, copy));
    const said = standsThere(file, distilled.book.sha256);
    if (said === 'other') continue;
    const notes = copy === 1 ? [] : [`${wished} is there already and is no export of this book; it is left as it is`];
    return { how: 'free', file, replaced: said === 'ours', notes };
  }
  return { how: 'refused', why: `${wished} and ${MAX_COPIES - 1} names beside it are taken; name a file with --out` };
}

/** Each export names the hash of its book, at its head or, a PDF, near its end. */
function standsThere(file: string, sha256: string): 'nothing' | 'ours' | 'other' {
  let fd: number;
  try {
    fd = openRegular(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing';
    if (error instanceof UnfitFileError) return 'other';
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    return [0, Math.max(0, size - PIECE_BYTES)].some((at) => pieceAt(fd, at).includes(sha256)) ? 'ours' : 'other';
  } finally {
    closeSync(fd);
  }
}

const PIECE_BYTES = 64 * 1024;

function pieceAt(fd: number, at: number): string {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  return buffer.toString('latin1', 0, readSync(fd, buffer, 0, PIECE_BYTES, at));
}
