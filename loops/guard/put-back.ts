// Restores kept files: sets aside what is in their place now, and neither follows a link nor writes through one.

import {
  chmodSync,
  lstatSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { setAside, TEMPORARY, temporaryPrefix } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type FileLook, lookAt } from './file-look.ts';
import { copyLarge, type EarlierFolder, isSame, isWhole, type KeptFile, type KeptFiles } from './kept-files.ts';

interface Tampered {
  file: string;
  how: 'modified' | 'deleted' | 'added';
  /** `kept`: unchanged, as it was too large for a copy, or that is gone. `recomposed`: set aside, and created again. */
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
    if (isSame(file, before, now) || !isOurs(file, before, now)) return [];
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
function clearWay(folder: string, before: EarlierFolder, away: (file: string) => void): Tampered[] {
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

/**
 * Writes a kept file under a temporary name and renames it when it is complete, so that its name never has half of it. Throws the
 * errors of the operating system. Until `away` is called, the present file is untouched.
 * @param away moves the present file out of the way.
 */
export function restore(file: string, { kind, content, copy, target, mode }: KeptFile, away: () => void): void {
  makeFolders(path.dirname(file));
  const fresh = besideOf(file);
  try {
    if (kind === 'link') symlinkSync(target!, fresh);
    else {
      // The `wx` flag and similar ones follow no link.
      if (content !== null) writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
      else copyLarge(copy!.file, fresh, Number.POSITIVE_INFINITY);
      chmodSync(fresh, mode);
    }
    away();
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Returns whether a killed process left this file half written. Its target exists, or is still to be put back. */
export function isUnfinished(file: string, kept: ReadonlyMap<string, unknown>): boolean {
  const name = TEMPORARY.exec(path.basename(file))?.groups?.name;
  return name !== undefined && kept.has(path.join(path.dirname(file), name));
}

/** Shortens the name if there is no room for the number, because a name may have at most 255 bytes. */
function besideOf(file: string): string {
  let name = path.basename(file);
  while (Buffer.byteLength(name) > MOST_NAME_BYTES) name = name.slice(0, -1);
  return freePath((n) => path.join(path.dirname(file), `${temporaryPrefix(name, process.pid)}${n + 1}`));
}

const MOST_NAME_BYTES = 230;

/** Returns the first of these paths at which nothing is. */
function freePath(nth: (n: number) => string): string {
  for (let n = 0; ; n++) if (lookAt(nth(n)) === null) return nth(n);
}

function moveAside(file: string, aside: string, clock: () => Date): void {
  // A folder that contains `aside` cannot be moved into it.
  if (`${aside}${path.sep}`.startsWith(`${file}${path.sep}`) || !isMade(aside)) {
    setAside(file, clock);
    return;
  }
  const name = path.basename(file);
  const place = freePath((n) => path.join(aside, n === 0 ? name : `${name}.${n}`));
  try {
    renameSync(file, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    moveFar(file, place, clock);
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
