// Builds the export of a distillation from its answers, and writes it completely or not at all.

import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type DistilledBook, type ExportFormat, exportName } from '../../../policies/distill/export/distilled-book.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { realFolder } from '../../../state/disk/real-folder.ts';
import { kindOf, openRegular, UnfitFileError } from '../../../state/disk/regular-file.ts';
import { replaceFile } from '../../../state/disk/replace-file.ts';
import { traceLines, unreadableWords } from '../../../state/distill/turns.ts';
import { type OpenDistill, readableHistory } from '../open-run.ts';
import type { ExportWork } from './render-export.ts';
import type { Rendered } from './render-pdf.ts';

interface ExportWish extends ExportWork {
  render(work: ExportWork): Promise<Rendered>;
  /** The folder for a file with the book's name; with `out`, the export goes to that file instead. */
  folder: string;
  out: string | null;
  /** The run's own folder, in which only `exports/` accepts an export; null for none. */
  runFolder?: string | null;
}

type Exported =
  | { how: 'done'; file: string; bytes: number; replaced: boolean; notes: string[] }
  | { how: 'refused'; why: string };

/** Throws the errors of the operating system. */
export async function writeExport({
  distilled,
  format,
  fonts,
  render,
  folder,
  out,
  runFolder = null,
}: ExportWish): Promise<Exported> {
  if (out !== null && runFolder !== null && isOfRun(out, runFolder))
    return {
      how: 'refused',
      why: `--out: ${out} is in the folder of the distillation itself; name a file elsewhere, or in ${path.join(runFolder, 'exports')}`,
    };
  const place = placeFor(distilled, format, folder, out);
  if (place.how === 'refused') return place;
  const rendered = await render({ distilled, format, fonts });
  if (rendered.how === 'refused') return rendered;
  const { bytes } = rendered;
  makeFolder(path.dirname(place.file));
  replaceFile(place.file, 'synced', (fd) => writeFileSync(fd, bytes));
  const notes = [...place.notes, ...rendered.notes];
  return { how: 'done', file: place.file, bytes: bytes.length, replaced: place.replaced, notes };
}

/** Detects the run's folder also through links. */
function isOfRun(file: string, runFolder: string): boolean {
  const [inner = '..', ...deeper] = path
    .relative(realFolder(runFolder), realFolder(path.dirname(file)))
    .split(path.sep);
  if (inner === 'exports') return deeper.includes('..');
  return inner !== '..' && !path.isAbsolute(inner);
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
    const notes =
      copy === 1 ? [] : [`${wished} is there already and is not an export of this book; it is left as it is`];
    return { how: 'free', file, replaced: said === 'ours', notes };
  }
  return { how: 'refused', why: `${wished} and ${MAX_COPIES - 1} names beside it are taken; name a file with --out` };
}

/** Each export has the hash of its book: Markdown in its front matter, a text in its header, a PDF in its properties. */
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
    const head = pieceAt(fd, 0);
    const tail = pieceAt(fd, Math.max(0, size - PIECE_BYTES));
    return isExportOf(sha256, head, tail) ? 'ours' : 'other';
  } finally {
    closeSync(fd);
  }
}

/** A checkpoint, a journal and a list of checksums also have that hash. So it must be in the place where we write it. */
function isExportOf(sha256: string, head: string, tail: string): boolean {
  if (head.startsWith('%PDF-')) {
    const keywords = new RegExp(`\\b(\\d+) 0 obj\\n\\(${sha256}\\)`).exec(tail)?.[1];
    return keywords !== undefined && tail.includes(`/Keywords ${keywords} 0 R`);
  }
  const isMarkdown = new RegExp(`^---\\ntitle: [^\\n]*\\nbook: [^\\n]*\\nsha256: "${sha256}"\\n`).test(head);
  return isMarkdown || new RegExp(`^[^\\n]*\\n=+\\n\\nbook: [^\\n]*\\nsha256: +${sha256}\\n`).test(head);
}

const PIECE_BYTES = 64 * 1024;

function pieceAt(fd: number, at: number): string {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  return buffer.toString('latin1', 0, readSync(fd, buffer, 0, PIECE_BYTES, at));
}

/** `lost`: which answers cannot be read and are omitted; null if all can be read. */
export function distilledBook(
  { folder, checkpoint, standing }: OpenDistill,
  withTrace: boolean,
): DistilledBook & { lost: string | null } {
  const { history, lost } = readableHistory(folder, checkpoint, standing);
  const texts = history.texts();
  const { begun, complete, halted } = standing;
  const sections = standing.sections.filter(({ section }) => !lost.some((one) => one.section === section));
  return {
    book: { name: path.basename(checkpoint.book), sha256: checkpoint.book_sha256 },
    model: checkpoint.model,
    prompt: checkpoint.prompt_file === null ? 'default' : path.basename(checkpoint.prompt_file),
    startedAt: begun?.at ?? sections[0]?.at ?? '',
    finishedAt: complete ? (sections.at(-1)?.at ?? halted?.at ?? null) : null,
    sections: sections.map(({ section, title, modelVersion, tokens, at }, i) => ({
      number: section,
      title,
      text: texts[i] ?? '',
      modelVersion,
      tokens,
      at,
    })),
    lost: lost.length === 0 ? null : unreadableWords(folder, lost),
    trace: withTrace ? traceLines(folder) : null,
  };
}
