// Reads an EPUB: its title, and the text of its chapters in reading order.

import { EPUB_LIMITS } from '../../../policies/distill/book-kinds.ts';
import { readChapter } from '../../../policies/distill/epub/chapter-text.ts';
import { MarkupTooDeep } from '../../../policies/distill/epub/markup.ts';
import { encryptedPaths, packagePath, readPackage } from '../../../policies/distill/epub/package-document.ts';
import { type Archive, ArchiveRefusal, openArchive } from './archive.ts';

interface Epub {
  title: string | null;
  chapters: number;
  /** The blocks of text of all chapters in order; a book is never in memory as a whole. */
  blocks(): AsyncGenerator<string>;
  close(): void;
}

/** Throws ArchiveRefusal, and the errors of the operating system. */
export async function openEpub(file: string, limits: typeof EPUB_LIMITS = EPUB_LIMITS): Promise<Epub> {
  const archive = await openArchive(file, limits);
  try {
    const { title, chapters } = await contentsOf(archive, limits);
    const locked = new Set(encryptedPaths((await archive.text('META-INF/encryption.xml')) ?? ''));
    const [first] = chapters.filter((chapter) => locked.has(chapter));
    if (first !== undefined)
      throw new ArchiveRefusal(
        'encrypted',
        `is encrypted (${first} and others are listed in its META-INF/encryption.xml)`,
      );
    return {
      title,
      chapters: chapters.length,
      async *blocks() {
        let bytes = 0;
        for (const chapter of chapters)
          for await (const block of blocksOf(archive, chapter)) {
            bytes += Buffer.byteLength(block);
            if (bytes > limits.textBytes)
              throw new ArchiveRefusal('too_large', `holds more than ${limits.textBytes} bytes of text`);
            yield block;
          }
      },
      close: () => archive.close(),
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function contentsOf(
  archive: Archive,
  limits: typeof EPUB_LIMITS,
): Promise<{ title: string | null; chapters: string[] }> {
  const isEpub = (await mimetypeOf(archive)) === 'application/epub+zip';
  const container = await archive.text('META-INF/container.xml');
  if (container === null && !isEpub) throw new ArchiveRefusal('not_a_book', `is ${otherArchive(archive)}, and no EPUB`);
  const at = packagePath(container ?? '');
  const document = at === null ? null : await archive.text(at);
  if (at === null || document === null)
    throw new ArchiveRefusal('not_a_book', 'is an EPUB that does not say what it holds (no package document)');
  const { title, chapters } = readPackage(document, at);
  const missing = chapters.find((chapter) => !archive.has(chapter));
  if (missing !== undefined) throw new ArchiveRefusal('truncated', `lacks ${missing}, which it names as a chapter`);
  if (chapters.length > limits.entries)
    throw new ArchiveRefusal('too_large', `names ${chapters.length} chapters; at most ${limits.entries} are read`);
  if (chapters.length === 0) throw new ArchiveRefusal('not_a_book', 'is an EPUB without a chapter');
  return { title, chapters };
}

async function mimetypeOf(archive: Archive): Promise<string> {
  return (await archive.text('mimetype'))?.trim() ?? '';
}

/** Detects the format by the files in the archive. */
function otherArchive(archive: Archive): string {
  if (archive.has('word/document.xml')) return 'a Word document';
  if (archive.has('xl/workbook.xml')) return 'an Excel sheet';
  if (archive.has('content.xml')) return 'an OpenDocument file';
  return 'a zip archive';
}

async function* blocksOf(archive: Archive, chapter: string): AsyncGenerator<string> {
  let blocks: string[] = [];
  const sink = readChapter((block) => void blocks.push(block));
  try {
    for await (const piece of archive.pieces(chapter)) {
      sink.write(piece);
      yield* blocks;
      blocks = [];
    }
    sink.end();
  } catch (error) {
    if (!(error instanceof MarkupTooDeep)) throw error;
    throw new ArchiveRefusal('too_large', `nests the tags of ${chapter} ${error.message}`);
  }
  yield* blocks;
}
