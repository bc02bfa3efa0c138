// An EPUB's archive, read within bounds: so many entries, so many bytes of each and of all; no path of it is ever opened on the disk.

import { closeSync } from 'node:fs';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { EPUB_LIMITS } from '../../../policies/distill/book-kinds.ts';
import { openFollowed } from '../../../state/disk/regular-file.ts';
import { ArchiveRefusal } from './archive-refusal.ts';
import { decoded } from './decoded.ts';

export interface Archive {
  has(name: string): boolean;
  /** Its text piece by piece. Throws ArchiveRefusal. */
  pieces(name: string): AsyncGenerator<string>;
  /** The same, whole; null where there is none. */
  text(name: string): Promise<string | null>;
  close(): void;
}

/** Throws ArchiveRefusal, and what `openFollowed` throws. */
export async function openArchive(file: string, limits: typeof EPUB_LIMITS = EPUB_LIMITS): Promise<Archive> {
  const fd = openFollowed(file);
  try {
    const zip = await fromFdPromise(fd, { lazyEntries: true, autoClose: false });
    const entries = await entriesOf(zip, limits);
    let total = 0;
    async function* pieces(name: string): AsyncGenerator<string> {
      const entry = entries.get(name);
      if (entry === undefined) return;
      total += checkedSize(entry, limits);
      if (total > limits.totalBytes)
        throw new ArchiveRefusal('too_large', `unpacks to more than ${limits.totalBytes} bytes of text`);
      yield* decoded(await zip.openReadStreamPromise(entry), name);
    }
    return {
      has: (name) => entries.has(name),
      pieces: (name) => refusing(pieces(name)),
      async text(name) {
        if (!entries.has(name)) return null;
        let whole = '';
        for await (const piece of refusing(pieces(name))) whole += piece;
        return whole;
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw asRefusal(error);
  }
}

async function entriesOf(zip: ZipFile, limits: typeof EPUB_LIMITS): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (zip.entryCount > limits.entries)
    throw new ArchiveRefusal('too_large', `holds ${zip.entryCount} files; at most ${limits.entries} are read`);
  for await (const entry of zip.eachEntry()) if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
  return entries;
}

/** What an entry says of its size holds: the reader ends with an error where more or less comes out. */
function checkedSize(entry: Entry, limits: typeof EPUB_LIMITS): number {
  if (entry.isEncrypted()) throw new ArchiveRefusal('encrypted', `has a password (${entry.fileName})`);
  if (entry.uncompressedSize > limits.entryBytes)
    throw new ArchiveRefusal(
      'too_large',
      `unpacks ${entry.fileName} to ${entry.uncompressedSize} bytes; at most ${limits.entryBytes} are read`,
    );
  return entry.uncompressedSize;
}

async function* refusing(pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The reader's words for a broken archive have no code. */
function asRefusal(error: unknown): unknown {
  if (error instanceof ArchiveRefusal || !(error instanceof Error)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code !== '' && !code.startsWith('Z_')) return error;
  const isCut = /end of central directory|unexpected (?:end|EOF)|out of bounds|truncated/i.test(message);
  return new ArchiveRefusal(isCut ? 'truncated' : 'not_a_book', `is a broken archive (${message})`);
}
