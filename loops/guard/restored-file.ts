// Writes a kept file under a temporary name and renames it when it is complete, so that its name never has half of it.

import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { TEMPORARY, temporaryPrefix } from '../../state/disk/replace-file.ts';
import { lookAt } from './file-look.ts';
import type { KeptFile } from './kept-files.ts';
import { copyLarge } from './large-copy.ts';

/**
 * Throws the errors of the operating system. Until `away` is called, the present file is untouched.
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
  const prefix = temporaryPrefix(name, process.pid);
  for (let n = 1; ; n++) {
    const fresh = path.join(path.dirname(file), `${prefix}${n}`);
    if (lookAt(fresh) === null) return fresh;
  }
}

const MOST_NAME_BYTES = 230;
