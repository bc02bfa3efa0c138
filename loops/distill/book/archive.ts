// Reads an EPUB's archive within limits for entries and bytes, and decodes its texts; never opens a path of it on disk.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { EPUB_LIMITS } from '../../../policies/distill/book-kinds.ts';
import { DECLARATION_BYTES, encodingOf } from '../../../policies/distill/epub/markup.ts';
import { openFollowed } from '../../../state/disk/regular-file.ts';
import { isSystemError } from '../../../state/system-error.ts';

export interface Archive {
  has(name: string): boolean;
  /** Returns the entry's text piece by piece. Throws ArchiveRefusal. */
  pieces(name: string): AsyncGenerator<string>;
  /** Returns the whole text; null if there is no such entry. */
  text(name: string): Promise<string | null>;
  close(): void;
}

/** Throws ArchiveRefusal, and the errors of `openFollowed`. */
export async function openArchive(file: string, limits: typeof EPUB_LIMITS = EPUB_LIMITS): Promise<Archive> {
  const fd = openFollowed(file);
  try {
    const { size } = fstatSync(fd);
    const zip = await fromRandomAccessReaderPromise(new BoundedReader(fd, size), size, {
      lazyEntries: true,
      autoClose: false,
    });
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

const PIECE_BYTES = 64 * 1024;

/** Reads synchronously, so wrong numbers of an archive throw to the awaiting caller, not into the event loop. */
class BoundedReader extends RandomAccessReader {
  readonly #fd: number;
  readonly #size: number;

  constructor(fd: number, size: number) {
    super();
    this.#fd = fd;
    this.#size = size;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#check(position, position + length);
    callback(null, readSync(this.#fd, buffer, offset, length, position));
  }

  override _readStreamForRange(start: number, end: number): Readable {
    this.#check(start, end);
    return Readable.from(this.#pieces(start, end));
  }

  *#pieces(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
      const read = readSync(this.#fd, piece, 0, piece.length, at);
      if (read === 0) throw new Error('unexpected end of the file');
      at += read;
      yield piece.subarray(0, read);
    }
  }

  #check(start: number, end: number): void {
    if (!(Number.isSafeInteger(start) && start >= 0 && end >= start && end <= this.#size))
      throw new Error(`it points to bytes ${start} to ${end} of a file of ${this.#size}: out of bounds`);
  }
}

async function entriesOf(zip: ZipFile, limits: typeof EPUB_LIMITS): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (zip.entryCount > limits.entries)
    throw new ArchiveRefusal('too_large', `holds ${zip.entryCount} files; at most ${limits.entries} are read`);
  for await (const entry of zip.eachEntry()) if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
  return entries;
}

/** The declared size of an entry is reliable: the reader fails if the entry unpacks to more or less. */
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

/** Errors of the disk are passed on; every other error comes from the bytes of the archive. */
function asRefusal(error: unknown): unknown {
  if (error instanceof ArchiveRefusal || !(error instanceof Error) || (isSystemError(error) && !isZlibError(error)))
    return error;
  const { message } = error;
  const isCut = /end of central directory|unexpected (?:end|EOF)|out of bounds|truncated/i.test(message);
  return new ArchiveRefusal(isCut ? 'truncated' : 'not_a_book', `is a broken archive (${message})`);
}

const isZlibError = ({ code }: NodeJS.ErrnoException): boolean => code?.startsWith('Z_') === true;

/** An archive that cannot be read; the message has no subject. */
export class ArchiveRefusal extends Error {
  readonly reason: 'truncated' | 'encrypted' | 'too_large' | 'not_a_book';

  constructor(reason: ArchiveRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws ArchiveRefusal, and the errors of `pieces`. @param name the name for the message of a refusal. */
async function* decoded(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decode: ((bytes: Uint8Array | null) => string) | null = null;
  let head = Buffer.alloc(0);
  for await (const bytes of pieces) {
    if (decode !== null) {
      yield decode(bytes);
      continue;
    }
    head = Buffer.concat([head, bytes]);
    if (head.length < DECLARATION_BYTES) continue;
    decode = decoderOf(head, name);
    yield decode(head);
  }
  if (decode === null) {
    decode = decoderOf(head, name);
    yield decode(head);
  }
  yield decode(null);
}

function decoderOf(head: Uint8Array, name: string): (bytes: Uint8Array | null) => string {
  const label = encodingOf(head);
  const decoder = decoderFor(label, name);
  return (bytes) => {
    try {
      return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ArchiveRefusal('not_a_book', `holds ${name}, which is to be ${label} and is not; save it in UTF-8`);
    }
  };
}

function decoderFor(label: string, name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new ArchiveRefusal(
      'not_a_book',
      `holds ${name} in the encoding ${JSON.stringify(label)}, which cannot be read here; save it in UTF-8`,
    );
  }
}
