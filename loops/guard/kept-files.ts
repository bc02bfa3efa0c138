// Keeps the state of files before a call, in memory and on disk for the next run if this one is killed, and compares it with now.

import { chmodSync, closeSync, constants, copyFileSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openRegular, readRegular, readRegularBytes, UnfitFileError } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { sha256 } from '../attempt/phases.ts';
import { type FileLook, lookAt } from './file-look.ts';

export interface KeptFile extends Omit<FileLook, 'changedNs'> {
  /** The content of a small file. */
  content: Buffer | null;
  /** The copy of a larger file. It is valid as long as its own stamp is unchanged. */
  copy: { file: string; stamp: string } | null;
  /** Only for a file that each run creates again: its hash is kept instead of its content. */
  sha256?: string;
}

/** The earlier state of a folder on the path to a file. `absent`: nothing was there yet. */
export type EarlierFolder = { kind: 'folder'; mode: number } | { kind: 'link'; target: string } | { kind: 'absent' };

export interface KeptFiles {
  /** By absolute path. null means that the file did not exist and must not appear. */
  files: Map<string, KeptFile | null>;
  /** By absolute path, parents before children. */
  folders: Map<string, EarlierFolder>;
  /** Files that cannot be put back. A change of them is only detected. */
  unkept: string[];
}

interface KeepingFiles {
  /** Absolute paths. */
  files: readonly string[];
  /** More folders that must keep their state, besides those that lead to the files. */
  folders: readonly string[];
  /** Nothing above these folders is read. A file belongs to the first one that contains it. */
  grounds: readonly string[];
  /** Returns the folder for copies, which is made when it is needed; null if nothing can be written. */
  copies(): string | null;
}

const LIMITS = {
  inMemory: { each: 1024 * 1024, all: 16 * 1024 * 1024 },
  copied: { each: 16 * 1024 * 1024, all: 64 * 1024 * 1024 },
} as const;

export function keepFiles({ files, folders, grounds, copies }: KeepingFiles): KeptFiles {
  const spent = { inMemory: 0, copied: 0, copies: 0 };
  const unkept: string[] = [];
  const kept = new Map(files.map((file): [string, KeptFile | null] => [file, keep(file)]));
  return { files: kept, folders: foldersTo([...folders, ...files.map((file) => path.dirname(file))], grounds), unkept };

  function keep(file: string): KeptFile | null {
    const look = lookAt(file);
    if (look === null) return null;
    const { changedNs: _, ...state } = look;
    const one: KeptFile = { ...state, content: null, copy: null };
    if (one.kind !== 'file') return one;
    try {
      if (fits(one.bytes, 'inMemory')) one.content = readRegularBytes(file, LIMITS.inMemory.each);
      else one.copy = copied(file, one.bytes);
    } catch (error) {
      if (!(error instanceof UnfitFileError) && !isSystemError(error)) throw error;
    }
    if (one.content === null && one.copy === null) unkept.push(file);
    return one;
  }

  function fits(bytes: number, where: keyof typeof LIMITS): boolean {
    if (bytes > LIMITS[where].each || spent[where] + bytes > LIMITS[where].all) return false;
    spent[where] += bytes;
    return true;
  }

  function copied(file: string, bytes: number): KeptFile['copy'] {
    const folder = copies();
    if (folder === null) return null;
    spent.copies += 1;
    const copy = path.join(folder, `copy-${spent.copies}`);
    // A copy that shares its blocks with the original costs nothing, whatever its size.
    if (!copyLarge(file, copy, fits(bytes, 'copied') ? LIMITS.copied.each : -1)) return null;
    return { file: copy, stamp: lookAt(copy)!.stamp };
  }
}

/** Lists every folder between its ground and these folders, parents first. */
function foldersTo(folders: readonly string[], grounds: readonly string[]): Map<string, EarlierFolder> {
  const all = new Set<string>();
  for (const folder of new Set(folders)) {
    const ground = grounds.find((one) => folder.startsWith(one + path.sep));
    if (ground === undefined) continue;
    for (let at = folder; at.length > ground.length && !all.has(at); at = path.dirname(at)) all.add(at);
  }
  return new Map([...all].sort((a, b) => a.length - b.length).map((folder) => [folder, keptFolder(folder)]));
}

function keptFolder(folder: string): EarlierFolder {
  const look = lookAt(folder);
  if (look?.kind === 'folder') return { kind: 'folder', mode: look.mode };
  return look?.kind === 'link' ? { kind: 'link', target: look.target! } : { kind: 'absent' };
}

/** The same stamp means the same file. With another stamp, the file may have been rewritten with the same content. */
export function isSame(file: string, before: KeptFile | null, now: FileLook | null): boolean {
  // A file that the run creates again may be missing.
  if (now === null && before?.sha256 !== undefined) return true;
  if (before === null || now === null) return before === now;
  if (before.stamp === now.stamp) return true;
  if (before.kind !== now.kind || before.mode !== now.mode || before.target !== now.target) return false;
  if (before.kind === 'link') return true;
  if (before.kind !== 'file' || before.bytes !== now.bytes) return false;
  try {
    if (before.sha256 !== undefined) return before.sha256 === sha256(readRegularBytes(file, before.bytes));
    if (before.content !== null) return before.content.equals(readRegularBytes(file, before.bytes));
    return before.copy !== null && isIntact(before.copy) && isSameContent(before.copy.file, file);
  } catch (error) {
    if (!(error instanceof UnfitFileError) && !isSystemError(error)) throw error;
    return false;
  }
}

/** Returns whether the file can be put back. */
export const isWhole = ({ kind, content, copy }: KeptFile): boolean =>
  kind === 'link' || content !== null || (copy !== null && isIntact(copy));

/** A process that edits our files may have edited the copies too. */
const isIntact = ({ file, stamp }: NonNullable<KeptFile['copy']>): boolean => lookAt(file)?.stamp === stamp;

const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = constants;

/** Copies what is too large for memory: by shared blocks if possible, else up to a limit. @returns whether all. */
export function copyLarge(from: string, to: string, maxBytes: number): boolean {
  const source = openRegular(from);
  const isFit = fstatSync(source).size <= maxBytes;
  try {
    // By the descriptor, because the name may refer to another file by now.
    copyFileSync(`/dev/fd/${source}`, to, COPYFILE_EXCL | (isFit ? COPYFILE_FICLONE : COPYFILE_FICLONE_FORCE));
    chmodSync(to, 0o600);
    return true;
  } catch (error) {
    if (isFit || !isSystemError(error) || error.code === 'EEXIST') throw error;
    return false;
  } finally {
    closeSync(source);
  }
}

const CHUNK_BYTES = 256 * 1024;

function isSameContent(one: string, other: string): boolean {
  const [a, b] = [openRegular(one), openRegular(other)];
  try {
    const [chunkA, chunkB] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
    for (let at = 0; ; ) {
      const read = readSync(a, chunkA, 0, chunkA.length, at);
      if (readSync(b, chunkB, 0, chunkB.length, at) !== read) return false;
      if (!chunkA.subarray(0, read).equals(chunkB.subarray(0, read))) return false;
      if (read === 0) return true;
      at += read;
    }
  } finally {
    closeSync(a);
    closeSync(b);
  }
}

/** `at` is the offset of its content in the pack; absent for a file that is not in it. */
type SavedFile = Omit<KeptFile, 'content'> & { at?: number | null };

interface Saved {
  /** The stamp of the file that contains all small files, one after the other. */
  pack: string | null;
  files: [file: string, kept: SavedFile | null][];
  folders: [folder: string, kept: EarlierFolder][];
}

/**
 * Writes kept files beside the entry of their call. Not synced, because an agent does not survive a loss of power.
 * @param prompt the file whose text is sent. It is not kept: the next run composes it again, and the call has its own copy.
 */
export function saveKept(folder: string, { files, folders }: KeptFiles, prompt?: string): void {
  const contents: Buffer[] = [];
  let at = 0;
  const rows = [...files].map(([file, kept]): Saved['files'][number] => {
    if (kept === null) return [file, null];
    const { content, ...rest } = kept;
    if (content === null) return [file, rest];
    if (file === prompt) return [file, { ...rest, sha256: sha256(content) }];
    contents.push(content);
    at += content.length;
    return [file, { ...rest, at: at - content.length }];
  });
  const pack = path.join(folder, PACK);
  writeFileSync(pack, Buffer.concat(contents), { mode: 0o600, flag: 'wx' });
  const saved: Saved = { pack: lookAt(pack)?.stamp ?? null, files: rows, folders: [...folders] };
  writeFileSync(path.join(folder, INDEX), JSON.stringify(saved), { mode: 0o600, flag: 'wx' });
}

/** Returns null if there is no usable data. An edited pack is ignored; then changes of its files are only detected. */
export function loadKept(folder: string): KeptFiles | null {
  try {
    const { pack, files, folders } = JSON.parse(readRegular(path.join(folder, INDEX), MAX_INDEX_BYTES)) as Saved;
    const file = path.join(folder, PACK);
    const bytes = lookAt(file)?.stamp === pack ? readRegularBytes(file, LIMITS.inMemory.all) : null;
    const rows = files.map(([name, saved]): [string, KeptFile | null] => {
      if (saved === null) return [name, null];
      const { at = null, ...rest } = saved;
      return [name, { ...rest, content: at === null || bytes === null ? null : bytes.subarray(at, at + rest.bytes) }];
    });
    return { files: new Map(rows), folders: new Map(folders), unkept: [] };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnfitFileError || isSystemError(error)) return null;
    throw error;
  }
}

const [PACK, INDEX] = ['pack', 'kept.json'];
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
