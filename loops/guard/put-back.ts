// Restores kept files: sets aside what is in their place now, and neither follows a link nor writes through one.

import { lstatSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { readRegularBytes, UnfitFileError } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { sha256 } from '../attempt/phases.ts';
import { type FileLook, lookAt } from './file-look.ts';
import type { JudgedFolder, KeptFile, KeptFiles } from './kept-files.ts';
import { copyLarge, isSameContent } from './large-copy.ts';
import { restore } from './restored-file.ts';

export interface Tampered {
  file: string;
  how: 'modified' | 'deleted' | 'added';
  /**
   * `kept`: unchanged, because it was too large for a copy, or its copy is gone too. `recomposed`: set aside, and created again by the
   * run.
   */
  outcome: 'put_back' | 'kept' | 'recomposed';
}

interface PuttingBack {
  /** Lists the files that exist now. Those that were not kept are new. */
  present(): readonly string[];
  /** The folder for replaced files, so that no data of the user is lost. */
  aside: string;
  clock: () => Date;
  /** Selects the changed files to restore; without it, all are restored. */
  isOurs?(file: string, before: KeptFile | null, now: FileLook | null): boolean;
}

export function putBack(kept: KeptFiles, { present, aside, clock, isOurs = () => true }: PuttingBack): Tampered[] {
  const away = (file: string) => moveAside(file, aside, clock);
  // Folders come first: what is below a link is in another place, which is not touched.
  const ways = [...kept.folders].flatMap(([folder, before]) => clearWay(folder, before, away));
  const found = [...new Set([...kept.files.keys(), ...present()])].flatMap((file) => {
    const before = kept.files.get(file) ?? null;
    const now = lookAt(file);
    if (isSame(file, before, now)) return [];
    if (!isOurs(file, before, now)) return [];
    const how: Tampered['how'] = before === null ? 'added' : now === null ? 'deleted' : 'modified';
    return [{ file, how, before, now, outcome: outcomeOf(before) }];
  });
  const changed = withoutInner(found);
  const returning = changed.filter(({ outcome }) => outcome === 'put_back');
  for (const { file, outcome } of changed) if (outcome === 'recomposed') away(file);
  // New files are removed first, because one may be in the place of another file's folder.
  for (const { file, before } of returning) if (before === null) away(file);
  // Restores one file at a time, and moves the present one only when its replacement is ready. After an interruption at any
  // moment, each file is the old one, the new one, or missing.
  for (const { file, before, now } of returning) {
    if (before === null) continue;
    restore(file, before, () => (now === null ? undefined : away(file)));
    kept.files.set(file, { ...before, stamp: lookAt(file)?.stamp ?? before.stamp });
  }
  return [...ways, ...changed.map(({ file, how, outcome }) => ({ file, how, outcome }))];
}

/** If a folder is in the place of a file, its content is moved together with it. */
function withoutInner<T extends { file: string; now: FileLook | null }>(changed: readonly T[]): T[] {
  const folders = changed.filter(({ now }) => now?.kind === 'folder').map(({ file }) => file + path.sep);
  return changed.filter(({ file }) => !folders.some((folder) => file.startsWith(folder)));
}

/** Removes anything but a folder from a place where a folder was or could be made. */
function clearWay(folder: string, before: JudgedFolder, away: (file: string) => void): Tampered[] {
  const now = lookAt(folder);
  const isThere = now?.kind === 'folder' || now === null;
  if (before.kind === 'link' ? now?.kind === 'link' && now.target === before.target : isThere) return [];
  if (now !== null) away(folder);
  if (before.kind === 'folder') makeFolders(folder, before.mode);
  if (before.kind === 'link') symlinkSync(before.target, folder);
  return [{ file: folder, how: 'added', outcome: 'put_back' }];
}

function outcomeOf(before: KeptFile | null): Tampered['outcome'] {
  if (before?.sha256 !== undefined) return 'recomposed';
  return before === null || isWhole(before) ? 'put_back' : 'kept';
}

/** Returns whether the file can be put back. */
export const isWhole = ({ kind, content, copy }: KeptFile): boolean =>
  kind === 'link' || content !== null || (copy !== null && isIntact(copy));

/** A process that edits our files may have edited the copies too. */
const isIntact = ({ file, stamp }: NonNullable<KeptFile['copy']>): boolean => lookAt(file)?.stamp === stamp;

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

function moveAside(file: string, aside: string, clock: () => Date): void {
  // A folder that contains `aside` cannot be moved into it.
  if (`${aside}${path.sep}`.startsWith(`${file}${path.sep}`) || !isMade(aside)) {
    setAside(file, clock);
    return;
  }
  for (let n = 0; ; n++) {
    const place = path.join(aside, n === 0 ? path.basename(file) : `${path.basename(file)}.${n}`);
    if (lookAt(place) !== null) continue;
    move(file, place, clock);
    return;
  }
}

function isMade(folder: string): boolean {
  try {
    makeFolders(folder);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}

function move(from: string, to: string, clock: () => Date): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    moveFar(from, to, clock);
  }
}

const MOST_COPIED = 16 * 1024 * 1024;

/** The task may be on another disk than the project. What cannot be copied quickly stays beside its place. */
function moveFar(from: string, to: string, clock: () => Date): void {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (!found.isFile() || !copyLarge(from, to, MOST_COPIED)) {
    setAside(from, clock);
    return;
  }
  unlinkSync(from);
}
