// Finds the glob of `security.forbidden_paths` that matches a file, by any of its names.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { atAnyDepth, compileForbidden, compileReach } from '../../policies/text/globs.ts';
import { entriesIfAny } from '../../state/disk/folder.ts';

/** The first glob that matches a name of the file. @param file its place: it may be a forbidden file's hard link. */
export type Forbids = (paths: readonly string[], file?: string) => string | null;

/** @param folders the folders to which the globs are relative; each may contain forbidden files */
export function forbiddenBy(globs: readonly string[], folders: readonly string[]): Forbids {
  const match = compileForbidden(globs);
  const links = forbiddenLinks(globs, folders);
  return (paths, file) => paths.map(match).find((glob) => glob !== null) ?? (file === undefined ? null : links(file));
}

/**
 * Looks nothing up for a file that has no second name. Otherwise walks the folders once, for the files that the globs forbid. It
 * does not recognise a link of a file behind the first 50,000 names or outside of the folders, nor a copy.
 * @returns the glob and the file that it forbids; null if the file is not a link of such a file.
 */
function forbiddenLinks(globs: readonly string[], folders: readonly string[]): (file: string) => string | null {
  let known: ReadonlyMap<string, string> | null = null;
  return (file) => {
    const found = entryAt(file);
    if (found === undefined || found.nlink < 2n || !found.isFile()) return null;
    known ??= forbiddenIn(globs, folders);
    return known.get(keyOf(found)) ?? null;
  };
}

const MAX_NAMES = 50_000;

function forbiddenIn(globs: readonly string[], folders: readonly string[]): Map<string, string> {
  const [match, reaches] = [compileForbidden(globs), compileReach(globs.flatMap(atAnyDepth))];
  const known = new Map<string, string>();
  let namesLeft = MAX_NAMES;
  for (const top of new Set(folders)) {
    const open = [''];
    for (let folder = open.shift(); folder !== undefined; folder = open.shift())
      for (const child of entriesIfAny(path.join(top, folder))) {
        if (namesLeft === 0) return known;
        namesLeft -= 1;
        const name = folder === '' ? child.name : `${folder}/${child.name}`;
        if (child.isDirectory()) {
          if (!OURS.has(child.name) && reaches(name)) open.push(name);
          continue;
        }
        const glob = child.isFile() ? match(name) : null;
        const found = glob === null ? undefined : entryAt(path.join(top, name));
        if (found !== undefined) known.set(keyOf(found), `${glob}, as a hard link of ${name}`);
      }
  }
  return known;
}

/** git's objects and our state. */
const OURS: ReadonlySet<string> = new Set(['.git', '.tmp']);

const keyOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev} ${ino}`;

function entryAt(file: string) {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
