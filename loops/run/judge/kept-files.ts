// Keeps files as they are before a call, and puts back afterwards what became different.

import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** What a path held: `content` is null for a file that is too large to keep, which can be seen to change but not put back. */
interface Kept {
  look: string;
  mode: number;
  kind: 'file' | 'link' | 'other';
  content: Buffer | string | null;
}

export type KeptFiles = ReadonlyMap<string, Kept | null>;

export interface Tampered {
  file: string;
  how: 'modified' | 'deleted' | 'added';
  /** `kept`: nothing could be put back, since it was too large to keep a copy. */
  outcome: 'put_back' | 'kept';
}

const MAX_BYTES_EACH = 1024 * 1024;
const MAX_BYTES_ALL = 16 * 1024 * 1024;

/** @param files absolute; one that is not there must not appear either. */
export function keepFiles(files: readonly string[]): KeptFiles {
  let bytes = 0;
  return new Map(
    files.map((file) => {
      const kept = look(file);
      if (kept?.kind !== 'file') return [file, kept];
      const { size } = lstatSync(file);
      if (size > MAX_BYTES_EACH || bytes + size > MAX_BYTES_ALL) return [file, kept];
      bytes += size;
      return [file, { ...kept, content: readFileSync(file) }];
    }),
  );
}

/** Every file and link below a folder, apart from what `apart` says; an absent folder has none. */
export function filesBelow(folder: string, apart: (file: string) => boolean): string[] {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (apart(file)) return [];
    return entry.isDirectory() ? filesBelow(file, apart) : [file];
  });
}

/**
 * @param present the files that are there now; those that were not kept are new.
 * @param aside a folder for what stood there instead: nothing of anybody's is lost.
 */
export function putBack(kept: KeptFiles, present: readonly string[], aside: string): Tampered[] {
  const changed = [...new Set([...kept.keys(), ...present])].flatMap((file) => {
    const before = kept.get(file) ?? null;
    const now = look(file);
    if (isSame(file, before, now)) return [];
    const how = before === null ? 'added' : now === null ? 'deleted' : 'modified';
    const isTooLarge = before !== null && before.kind !== 'other' && before.content === null;
    return [{ file, how, before, now, outcome: isTooLarge ? 'kept' : 'put_back' } as const];
  });
  const returning = changed.filter(({ outcome }) => outcome === 'put_back');
  // All away first: a file may stand where the folder of another was.
  for (const { file, now } of returning) if (now !== null) moveAside(file, aside);
  for (const { file, before } of returning) if (before !== null) restore(file, before);
  return changed.map(({ file, how, outcome }) => ({ file, how, outcome }));
}

function look(file: string): Kept | null {
  try {
    const found = lstatSync(file, { bigint: true });
    const kind = found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : 'other';
    return {
      look: [found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode].join(' '),
      mode: Number(found.mode & 0o7777n),
      kind,
      content: kind === 'link' ? readlinkSync(file) : null,
    };
  } catch (error) {
    // A folder above that became a file: it is not there.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** The same look is the same file; another look may still be the same content, written anew. */
function isSame(file: string, before: Kept | null, now: Kept | null): boolean {
  if (before === null || now === null) return before === now;
  if (before.look === now.look) return true;
  if (before.kind !== now.kind || before.mode !== now.mode) return false;
  if (before.kind === 'link') return before.content === now.content;
  return Buffer.isBuffer(before.content) && before.content.equals(readFileSync(file));
}

function moveAside(file: string, aside: string): void {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (let n = 0; ; n++) {
    const place = path.join(aside, n === 0 ? path.basename(file) : `${path.basename(file)}.${n}`);
    if (existsSync(place)) continue;
    move(file, place);
    return;
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    // The task may lie on another disk than the project.
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true });
  }
}

function restore(file: string, { kind, content, mode }: Kept): void {
  if (kind === 'other' || content === null) return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (kind === 'link') symlinkSync(content as string, file);
  else {
    writeFileSync(file, content, { mode, flag: 'wx' });
    chmodSync(file, mode);
  }
}
