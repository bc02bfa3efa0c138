// Reads files that another program may have replaced: only regular ones of bounded size, no link, and without blocking.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { bears } from './strange-state-error.ts';

const UNFIT = Symbol.for('tollgate: unfit file');

/** Thrown if a path has something that must not be read; `why` is a sentence without a subject. */
export class UnfitFileError extends Error {
  static override readonly [Symbol.hasInstance] = bears(UNFIT);
  readonly [UNFIT] = true;
  readonly syscall = 'open';
  readonly path: string;
  /** EINVAL for a file that is not regular, EFBIG for one that is too large. */
  readonly code: 'EINVAL' | 'EFBIG';
  readonly why: string;

  constructor(path: string, code: UnfitFileError['code'], why: string) {
    super(`${path} ${why}`);
    this.path = path;
    this.code = code;
    this.why = why;
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * @param flags as `openSync` takes them.
 * @returns its descriptor. Throws what the operating system throws, and UnfitFileError for a file that is not regular. A link in
 * its last part is not followed.
 */
export function openRegular(file: string, flags: number = O_RDONLY, mode = 0o600): number {
  return openKind(file, flags | O_NOFOLLOW, mode);
}

/** Its whole text. @param maxBytes A larger file is not read, nor one that grows beyond it meanwhile. Throws the same. */
export const readRegular = (file: string, maxBytes: number = MAX_BYTES): string =>
  textOfBytes(readRegularBytes(file, maxBytes));

/** The same as bytes. */
export const readRegularBytes = (file: string, maxBytes: number = MAX_BYTES): Buffer =>
  readOpened(openLooked(file, O_RDONLY | O_NOFOLLOW, 0), file, maxBytes);

function readOpened({ fd, look }: Opened, file: string, maxBytes: number): Buffer {
  try {
    return readWhole(fd, file, maxBytes, look);
  } finally {
    closeSync(fd);
  }
}

/** The same as text; null if there is no file. */
export function readRegularOrNull(file: string, maxBytes: number = MAX_BYTES): string | null {
  const bytes = readBytesOrNull(file, maxBytes);
  return bytes === null ? null : textOfBytes(bytes);
}

/** The same as bytes; null if there is no file. */
export function readBytesOrNull(file: string, maxBytes: number = MAX_BYTES): Buffer | null {
  try {
    return readRegularBytes(file, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The same; null too if not regular, or too large. Throws system errors, as the file may still be intact. */
export function readUnlessUnfit(file: string, maxBytes: number = MAX_BYTES): string | null {
  try {
    return readRegularOrNull(file, maxBytes);
  } catch (error) {
    if (error instanceof UnfitFileError) return null;
    throw error;
  }
}

/** Follows links, for files that a user may keep elsewhere, such as settings. Throws the same. */
export const openFollowed = (file: string): number => openKind(file, O_RDONLY, 0);

/** The same, whole. */
export const readFollowed = (file: string, maxBytes: number = MAX_BYTES): string =>
  textOfBytes(readFollowedBytes(file, maxBytes));

/** The same as bytes. */
export const readFollowedBytes = (file: string, maxBytes: number = MAX_BYTES): Buffer =>
  readOpened(openLooked(file, O_RDONLY, 0), file, maxBytes);

/** Its beginning, and its state before it was read. Throws the same, except for a large file. */
export function readFollowedHead(file: string, bytes: number): { bytes: Buffer; look: Stats } {
  const { fd, look } = openLooked(file, O_RDONLY, 0);
  try {
    const head = Buffer.allocUnsafe(Math.min(look.size, bytes));
    return { bytes: head.subarray(0, readSync(fd, head, 0, head.length, 0)), look };
  } finally {
    closeSync(fd);
  }
}

/** For files that may be missing or strange without harm: null for any that cannot be read. */
export function readIfFit(file: string, maxBytes: number = MAX_BYTES): string | null {
  const bytes = readBytesIfFit(file, maxBytes);
  return bytes === null ? null : textOfBytes(bytes);
}

/** The same for JSON: null too for a text that is not JSON. The caller must check its shape. */
export const readJsonIfFit = <T>(file: string, maxBytes: number = MAX_BYTES): T | null =>
  tried(() => JSON.parse(readRegular(file, maxBytes)) as T | null);

/** The same as bytes. */
export const readBytesIfFit = (file: string, maxBytes: number = MAX_BYTES): Buffer | null =>
  tried(() => readRegularBytes(file, maxBytes));

/** The same for files to which a user may link. */
export const readFollowedIfFit = (file: string, maxBytes: number = MAX_BYTES): string | null =>
  tried(() => readFollowed(file, maxBytes));

/** Reads an open regular file from its start. Throws UnfitFileError when it is larger. */
export function readWhole(fd: number, file: string, maxBytes: number, { size }: Stats = fstatSync(fd)): Buffer {
  if (size > maxBytes) throw tooLarge(file, size, maxBytes);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const read = readSync(fd, bytes, at, size - at, at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}

/** The error for a file that is not read as a whole, but must not be that large either. */
export const tooLarge = (file: string, size: number, maxBytes: number): UnfitFileError =>
  new UnfitFileError(file, 'EFBIG', `has ${size} bytes; at most ${maxBytes} are read`);

/** Is it there and a regular file? A link does not count, wherever it leads. */
export const isRegular = (file: string): boolean => statOrNull(file)?.isFile() === true;

/** What a name leads to. null for nothing, a link that leads nowhere or in a circle, and what we may not look at. */
export const lookAt = (file: string): Stats | null => tried(() => statSync(file, ABSENT) ?? null);

/** The same: is it a folder? */
export const isFolder = (place: string): boolean => lookAt(place)?.isDirectory() === true;

/** Is it a folder whose entries this user may not look at? */
export function isClosed(place: string): boolean {
  if (!isFolder(place)) return false;
  try {
    accessSync(place, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

/** The kind of what a path holds, in words: "a FIFO"; null if it holds nothing. */
export function kindOf(file: string): string | null {
  const found = statOrNull(file);
  return found === null ? null : kindIn(found);
}

/** Whether a file is certainly missing; false too if its path cannot be looked at, or is a dangling link. */
export function isAbsent(file: string): boolean {
  for (let at = file; ; at = path.dirname(at)) {
    try {
      if (lstatSync(at, ABSENT) === undefined) continue;
    } catch {
      return false;
    }
    return at !== file && isFolder(at);
  }
}

/** The limit for our own files: manifests, views, markers, queues, drafts. */
const MAX_BYTES = 16 * 1024 * 1024;

interface Opened {
  fd: number;
  look: Stats;
}

const openKind = (file: string, flags: number, mode: number): number => openLooked(file, flags, mode).fd;

function openLooked(file: string, flags: number, mode: number): Opened {
  const fd = openAtOnce(file, flags, mode);
  const look = fstatSync(fd);
  if (look.isFile()) return { fd, look };
  closeSync(fd);
  throw unfitKind(file, look);
}

/** @param tries The file may have been replaced by the time it is looked at. */
function openAtOnce(file: string, flags: number, mode: number, tries = 10): number {
  try {
    return openSync(file, flags | O_NONBLOCK, mode);
  } catch (error) {
    // A socket gives ENXIO, as does a FIFO without a reader if we open it for writing. A device may have no driver.
    if (!KIND_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    const found = (flags & O_NOFOLLOW) === 0 ? (lookAt(file) ?? statOrNull(file)) : statOrNull(file);
    // If folders above form a loop of links, the system's own error is thrown.
    const isOther = found === null || found.isFile();
    if (isOther && tries > 1) return openAtOnce(file, flags, mode, tries - 1);
    if (isOther) throw error;
    throw unfitKind(file, found);
  }
}

const KIND_CODES: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV', 'EOPNOTSUPP']);

const unfitKind = (file: string, found: Stats) =>
  new UnfitFileError(file, 'EINVAL', `is ${kindIn(found)}, and no regular file`);

/** Most files looked for do not exist, and an exception costs more than the look. */
const ABSENT = { throwIfNoEntry: false } as const;

const statOrNull = (file: string): Stats | null => tried(() => lstatSync(file, ABSENT) ?? null);

function tried<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function kindIn(found: Stats): string {
  if (found.isFile()) return 'a regular file';
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isFIFO()) return 'a FIFO';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}

interface HeadPiece {
  text: string;
  /** Of the whole file. */
  bytes: number;
}

/** The beginning of a file that may be very long. Throws what `openRegular` throws. */
export const readHead = (file: string, maxBytes: number): HeadPiece => readPiece(file, maxBytes, () => 0);

/** The end of such a file. Throws the same. */
export const readTail = (file: string, maxBytes: number): HeadPiece =>
  readPiece(file, maxBytes, (size) => Math.max(0, size - maxBytes));

/** The same texts; null for a file that cannot be read. */
export const readHeadIfFit = (file: string, maxBytes: number) => tried(() => readHead(file, maxBytes).text);
export const readTailIfFit = (file: string, maxBytes: number) => tried(() => readTail(file, maxBytes).text);

function readPiece(file: string, maxBytes: number, from: (size: number) => number): HeadPiece {
  const fd = openRegular(file);
  try {
    const { size } = fstatSync(fd);
    return { text: readAt(fd, from(size), Math.min(size, maxBytes)).toString('utf8'), bytes: size };
  } finally {
    closeSync(fd);
  }
}

/** At most so many bytes from there; fewer at the end of the file. */
export function readAt(fd: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let read = 0;
  for (let more = -1; more !== 0 && read < bytes; read += more)
    more = readSync(fd, buffer, read, bytes - read, at + read);
  return buffer.subarray(0, read);
}

/** A text's bytes in UTF-8: UTF-16 with its mark is converted, UTF-8's mark removed, all else unchanged. */
export function toUtf8(bytes: Buffer): Buffer {
  if (startsWith(bytes, UTF8_MARK)) return bytes.subarray(UTF8_MARK.length);
  const text = utf16In(bytes);
  return text === null ? bytes : Buffer.from(text, 'utf8');
}

/** The text of a file, in UTF-8 or in UTF-16 with its mark. */
const textOfBytes = (bytes: Buffer): string => utf16In(bytes) ?? bytes.toString('utf8');

function utf16In(bytes: Buffer): string | null {
  // If all four bytes match, they are the mark of UTF-32.
  if (startsWith(bytes, LITTLE_MARK) && !startsWith(bytes, UTF32_MARK)) return bytes.toString('utf16le', 2);
  if (!startsWith(bytes, BIG_MARK)) return null;
  const whole = bytes.length & ~1;
  return Buffer.from(bytes.subarray(2, whole)).swap16().toString('utf16le');
}

const UTF8_MARK = [0xef, 0xbb, 0xbf];
const LITTLE_MARK = [0xff, 0xfe];
const UTF32_MARK = [0xff, 0xfe, 0, 0];
const BIG_MARK = [0xfe, 0xff];

const startsWith = (bytes: Buffer, mark: readonly number[]): boolean => mark.every((byte, i) => bytes[i] === byte);

/** A descriptor of our own process, whatever it leads to. */
const DESCRIPTOR = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/\d+)$/;

/** A pipe is read to its end, and not as a file. A file that an agent could have put there must be a regular one instead. */
export function isPipe(file: string): boolean {
  let found: Stats;
  try {
    found = statSync(file);
  } catch {
    return false;
  }
  return found.isFIFO() || (DESCRIPTOR.test(file) && (found.isSocket() || found.isCharacterDevice()));
}

/** A socket cannot be opened by its name, so standard input is read by its number. */
export const isStdin = (file: string): boolean => /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/.test(file);
