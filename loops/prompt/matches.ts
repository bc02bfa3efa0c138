// The files that a glob of `attach` matches (the only door to fast-glob, loaded when something is attached).

import fastGlob from 'fast-glob';

export interface Found {
  files: string[];
  /** Symbolic links among what matches: they are never followed. */
  links: string[];
  /** All files that match; `files` has at most as many as were asked for, and the count ends where it was told to. */
  count: number;
}

/** Relative to `folder`, in no order. Throws as the file system does. */
export async function matchesOf(
  globs: readonly string[],
  folder: string,
  never: readonly string[],
  most: { kept: number; counted: number },
): Promise<Found> {
  const found: Found = { files: [], links: [], count: 0 };
  const stream = fastGlob.stream([...globs], {
    cwd: folder,
    ignore: [...never],
    followSymbolicLinks: false,
    objectMode: true,
    onlyFiles: false,
  }) as AsyncIterable<fastGlob.Entry>;
  for await (const { path, dirent } of stream) {
    if (dirent.isSymbolicLink()) found.links.push(path);
    if (!dirent.isFile()) continue;
    found.count += 1;
    if (found.files.length < most.kept) found.files.push(path);
    if (found.count >= most.counted) break;
  }
  return found;
}

/** What a glob means once its braces are spelled out: `{src,lib}/*` is two. */
export const alternatives = (glob: string): string[] =>
  fastGlob.generateTasks(glob, { dot: true }).flatMap(({ positive }) => positive);

/** A path as a glob that matches it alone. */
export const literal = (path: string): string => fastGlob.escapePath(path);
