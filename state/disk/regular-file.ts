// Opens a file that anybody may have put there: a regular file of bounded size, no link, never one that keeps us waiting.

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
import { bears } from './error-mark.ts';
import { textOfBytes } from './text-encoding.ts';

const UNFIT = Symbol.for('tollgate: unfit file');

/** What stands under a file's name and is not to be read; `why` is a sentence without a subject. */
export class UnfitFileError extends Error {
  static override readonly [Symbol.hasInstance] = bears(UNFIT);
  readonly [UNFIT] = true;
  readonly syscall = 'open';
  readonly path: string;
  /** EINVAL for what is no regular file, EFBIG for what is too large. */
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
 * @returns its descriptor. Throws what the operating system throws, and UnfitFileError for what is no regular file: a link in its last part is not followed.
 */
export function openRegular(file: string, flags: number = O_RDONLY, mode = 0o600): number {
  return openKind(file, flags | O_NOFOLLOW, mode);
}

/** Its whole text. @param maxBytes a larger one is not read; nor is what grows past it meanwhile. Throws the same. */
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

/** The same as text; null where there is none. */
export function readRegularOrNull(file: string, maxBytes: number = MAX_BYTES): string | null {
  const bytes = readBytesOrNull(file, maxBytes);
  return bytes === null ? null : textOfBytes(bytes);
}

/** The same as bytes; null where there is none. */
export function readBytesOrNull(file: string, maxBytes: number = MAX_BYTES): Buffer | null {
  try {
    return readRegularBytes(file, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The same; null too for what is no regular file or too large. Throws what the operating system throws: it may be there, and whole. */
export function readUnlessUnfit(file: string, maxBytes: number = MAX_BYTES): string | null {
  try {
    return readRegularOrNull(file, maxBytes);
  } catch (error) {
    if (error instanceof UnfitFileError) return null;
    throw error;
  }
}

/** For what a person may keep elsewhere and link to, such as settings: the file that it leads to. Throws the same. */
export const openFollowed = (file: string): number => openKind(file, O_RDONLY, 0);

/** The same, whole. */
export const readFollowed = (file: string, maxBytes: number = MAX_BYTES): string =>
  textOfBytes(readFollowedBytes(file, maxBytes));

/** The same as bytes. */
export const readFollowedBytes = (file: string, maxBytes: number = MAX_BYTES): Buffer =>
  readOpened(openLooked(file, O_RDONLY, 0), file, maxBytes);

/** Its beginning, and how the file looked before it was read. Throws the same, but for one that is large. */
export function readFollowedHead(file: string, bytes: number): { bytes: Buffer; look: Stats } {
  const { fd, look } = openLooked(file, O_RDONLY, 0);
  try {
    const head = Buffer.allocUnsafe(Math.min(look.size, bytes));
    return { bytes: head.subarray(0, readSync(fd, head, 0, head.length, 0)), look };
  } finally {
    closeSync(fd);
  }
}

/** For what may be missing or strange without harm: null for whatever cannot be read. */
export function readIfFit(file: string, maxBytes: number = MAX_BYTES): string | null {
  const bytes = readBytesIfFit(file, maxBytes);
  return bytes === null ? null : textOfBytes(bytes);
}

/** The same of JSON: null too for what is none. Whether it is of that shape is for the caller to look at. */
export const readJsonIfFit = <T>(file: string, maxBytes: number = MAX_BYTES): T | null =>
  tried(() => JSON.parse(readRegular(file, maxBytes)) as T | null);

/** The same as bytes. */
export const readBytesIfFit = (file: string, maxBytes: number = MAX_BYTES): Buffer | null =>
  tried(() => readRegularBytes(file, maxBytes));

/** The same for what a person may link to. */
export const readFollowedIfFit = (file: string, maxBytes: number = MAX_BYTES): string | null =>
  tried(() => readFollowed(file, maxBytes));

/** From an open regular file, from its start. Throws UnfitFileError when it is larger. */
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

/** For one that is not read as a whole, but has no business to be that large either. */
export const tooLarge = (file: string, size: number, maxBytes: number): UnfitFileError =>
  new UnfitFileError(file, 'EFBIG', `has ${size} bytes; at most ${maxBytes} are read`);

/** Whether it is there and is a regular file; a link is none, wherever it leads. */
export const isRegular = (file: string): boolean => statOrNull(file)?.isFile() === true;

/** What a name leads to; null for nothing, a link that leads nowhere or in a circle, and what we may not look at. */
export const lookAt = (file: string): Stats | null => tried(() => statSync(file, ABSENT) ?? null);

/** The same: is it a folder? */
export const isFolder = (place: string): boolean => lookAt(place)?.isDirectory() === true;

/** A folder in which this user may look at nothing. */
export function isClosed(place: string): boolean {
  if (!isFolder(place)) return false;
  try {
    accessSync(place, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

/** What a path holds, in words: "a FIFO"; null where nothing is there. */
export function kindOf(file: string): string | null {
  const found = statOrNull(file);
  return found === null ? null : kindIn(found);
}

/** Whether a file is surely not there: false too where it, or a folder above it, cannot be looked at or is a link that leads nowhere. */
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

/** Of files of our own making: manifests, views, markers, queues, drafts. */
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

/** @param tries what stands there may be another thing by the time that it is looked at */
function openAtOnce(file: string, flags: number, mode: number, tries = 10): number {
  try {
    return openSync(file, flags | O_NONBLOCK, mode);
  } catch (error) {
    // A socket gives ENXIO, as does a FIFO that nobody reads and we would write to; a device may be one without a driver.
    if (!KIND_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    const found = (flags & O_NOFOLLOW) === 0 ? (lookAt(file) ?? statOrNull(file)) : statOrNull(file);
    // A loop of links among the folders above is the system's own word.
    const isOther = found === null || found.isFile();
    if (isOther && tries > 1) return openAtOnce(file, flags, mode, tries - 1);
    if (isOther) throw error;
    throw unfitKind(file, found);
  }
}

const KIND_CODES: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV', 'EOPNOTSUPP']);

const unfitKind = (file: string, found: Stats) =>
  new UnfitFileError(file, 'EINVAL', `is ${kindIn(found)}, and no regular file`);

/** Most of what is looked for is not there, and an exception costs more than the look. */
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
