// Keeps the state of files before a call: small files in memory, larger ones as copies, and the folders that lead to them.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readRegularBytes, UnfitFileError } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { type FileLook, lookAt } from './file-look.ts';
import { copyLarge } from './large-copy.ts';

export interface KeptFile extends Pick<FileLook, 'stamp' | 'kind' | 'mode' | 'bytes' | 'target'> {
  /** The content of a small file. */
  content: Buffer | null;
  /** The copy of a larger file. It is valid as long as its own stamp is unchanged. */
  copy: { file: string; stamp: string } | null;
  /** Only for a file that each run creates again: its hash is kept instead of its content. */
  sha256?: string;
}

/** The earlier state of a folder on the path to a file. `absent`: nothing was there yet. */
export type JudgedFolder = { kind: 'folder'; mode: number } | { kind: 'link'; target: string } | { kind: 'absent' };

export interface KeptFiles {
  /** By absolute path. null means that the file did not exist and must not appear. */
  files: Map<string, KeptFile | null>;
  /** By absolute path, parents before children. */
  folders: Map<string, JudgedFolder>;
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

export const LIMITS = {
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
    const { stamp, kind, mode, bytes, target } = look;
    const one: KeptFile = { stamp, kind, mode, bytes, target, content: null, copy: null };
    if (kind !== 'file') return one;
    try {
      if (fits(bytes, 'inMemory')) one.content = readRegularBytes(file, LIMITS.inMemory.each);
      else one.copy = copied(file, bytes);
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
function foldersTo(folders: readonly string[], grounds: readonly string[]): Map<string, JudgedFolder> {
  const all = new Set<string>();
  for (const folder of new Set(folders)) {
    const ground = grounds.find((one) => folder.startsWith(one + path.sep));
    if (ground === undefined) continue;
    for (let at = folder; at.length > ground.length && !all.has(at); at = path.dirname(at)) all.add(at);
  }
  return new Map([...all].sort((a, b) => a.length - b.length).map((folder) => [folder, keptFolder(folder)]));
}

function keptFolder(folder: string): JudgedFolder {
  const look = lookAt(folder);
  if (look?.kind === 'folder') return { kind: 'folder', mode: look.mode };
  return look?.kind === 'link' ? { kind: 'link', target: look.target! } : { kind: 'absent' };
}

/** Lists every file and link below a folder, except those that `apart` excludes. An absent folder has none. */
export function filesBelow(folder: string, apart: (file: string) => boolean): string[] {
  if (lookAt(folder)?.kind !== 'folder') return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (apart(file)) return [];
    return entry.isDirectory() ? filesBelow(file, apart) : [file];
  });
}
