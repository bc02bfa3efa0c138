// Finds the files that a glob of `attach` matches; the only module that loads fast-glob, and only when needed.

import { type Dirent, readdir } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { compileGlobs } from '../../policies/text/globs.ts';

interface MatchedFiles {
  files: string[];
  /** Symbolic links among the matches: they are never followed. */
  links: string[];
  /** Pipes, sockets and devices: they are never opened. */
  special: string[];
  /** The number of matching files. `files` has at most `most.kept` of them, and the count ends at `most.counted`. */
  count: number;
}

/** Returns names relative to `folder`, in no order. Throws the errors of the file system. */
export async function matchesOf(
  globs: readonly string[],
  folder: string,
  never: readonly string[],
  most: { kept: number; counted: number },
): Promise<MatchedFiles> {
  const found: MatchedFiles = { files: [], links: [], special: [], count: 0 };
  const stream = fastGlob.stream([...globs], {
    cwd: folder,
    ignore: [...never],
    followSymbolicLinks: false,
    objectMode: true,
    onlyFiles: false,
  }) as AsyncIterable<fastGlob.Entry>;
  for await (const { path: name, dirent } of stream) {
    if (dirent.isSymbolicLink()) found.links.push(name);
    else if (!dirent.isFile() && !dirent.isDirectory()) found.special.push(name);
    if (!dirent.isFile()) continue;
    found.count += 1;
    if (found.files.length < most.kept) found.files.push(name);
    if (found.count >= most.counted) break;
  }
  return found;
}

/** Files that globs skip for their names: hidden ones, unless the glob has the dot, and names of several lines. */
interface OddlyNamed {
  hidden: string[];
  broken: string[];
}

/** Returns at most `most` of each kind: files that the globs would match under another name. */
export async function oddlyNamed(
  globs: readonly string[],
  folder: string,
  never: readonly string[],
  most: number,
): Promise<OddlyNamed> {
  const found: OddlyNamed = { hidden: [], broken: [] };
  const all = fastGlob.stream([...globs], {
    cwd: folder,
    ignore: [...never],
    followSymbolicLinks: false,
    dot: true,
    fs: { readdir: seeing((name) => found.broken.push(path.relative(folder, name))) },
  }) as AsyncIterable<string>;
  for await (const name of all) {
    if (HIDDEN.test(name) && !PLACEHOLDER.test(name)) found.hidden.push(name);
    if (found.hidden.length >= most) break;
  }
  const [wanted, unwanted] = [compileGlobs(globs), compileGlobs(never)];
  found.broken = found.broken.filter((name) => wanted(name) !== null && unwanted(name) === null).slice(0, most);
  return found;
}

const HIDDEN = /(?:^|\/)\./;
/** These files only keep a folder in git, or its place on a desktop. */
const PLACEHOLDER = /(?:^|\/)\.(?:gitkeep|keep|DS_Store)$/;

/** Reads each folder for the walk, and also notices entries that no glob matches. */
const seeing = (notice: (file: string) => void) =>
  ((folder: string, options: { withFileTypes: true }, done: (error: Error | null, entries?: Dirent[]) => void) =>
    readdir(folder, options, (error, entries) => {
      for (const entry of entries ?? [])
        if (entry.isFile() && entry.name.includes('\n')) notice(path.join(folder, entry.name));
      if (error === null) done(null, entries);
      else done(error);
    })) as unknown as typeof readdir;

/** Expands the braces of a glob: `{src,lib}/*` becomes two globs. */
export const alternatives = (glob: string): string[] =>
  fastGlob.generateTasks(glob, { dot: true }).flatMap(({ positive }) => positive);

/** Makes a glob that matches only this path. */
export const literal = (path: string): string => fastGlob.escapePath(path);
