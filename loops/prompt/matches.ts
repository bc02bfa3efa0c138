// The files that a glob of `attach` matches (the only door to fast-glob, loaded when something is attached).

import { type Dirent, readdir } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { compileGlobs } from '../../policies/text/globs.ts';

interface MatchedFiles {
  files: string[];
  /** Symbolic links among what matches: they are never followed. */
  links: string[];
  /** Pipes, sockets and devices: they are never opened. */
  special: string[];
  /** All files that match; `files` has at most as many as were asked for, and the count ends where it was told to. */
  count: number;
}

/** Relative to `folder`, in no order. Throws as the file system does. */
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

/** What globs pass over for its name alone: hidden files, which they name only by the dot, and names of more than one line. */
interface OddlyNamed {
  hidden: string[];
  broken: string[];
}

/** At most `most` of each, of those that the globs would match by another name. */
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
/** They hold a folder in git, or its place on a desktop, and nothing else. */
const PLACEHOLDER = /(?:^|\/)\.(?:gitkeep|keep|DS_Store)$/;

/** The walk's own look into each folder, which sees what no glob matches. */
const seeing = (notice: (file: string) => void) =>
  ((folder: string, options: { withFileTypes: true }, done: (error: Error | null, entries?: Dirent[]) => void) =>
    readdir(folder, options, (error, entries) => {
      for (const entry of entries ?? [])
        if (entry.isFile() && entry.name.includes('\n')) notice(path.join(folder, entry.name));
      if (error === null) done(null, entries);
      else done(error);
    })) as unknown as typeof readdir;

/** What a glob means once its braces are spelled out: `{src,lib}/*` is two. */
export const alternatives = (glob: string): string[] =>
  fastGlob.generateTasks(glob, { dot: true }).flatMap(({ positive }) => positive);

/** A path as a glob that matches it alone. */
export const literal = (path: string): string => fastGlob.escapePath(path);
