// Finds the glob of `security.forbidden_paths` that matches a file, by any of its names.

import { compileForbidden } from '../../policies/text/globs.ts';
import { forbiddenLinks } from './forbidden-links.ts';

/**
 * Returns the first glob that matches one of the paths, which are names of the same file.
 * @param file its place, to recognise it as a hard link of a forbidden file
 */
export type Forbids = (paths: readonly string[], file?: string) => string | null;

/** @param folders the folders to which the globs are relative; each may contain forbidden files */
export function forbiddenBy(globs: readonly string[], folders: readonly string[]): Forbids {
  const match = compileForbidden(globs);
  const links = forbiddenLinks(globs, folders);
  return (paths, file) => paths.map(match).find((glob) => glob !== null) ?? (file === undefined ? null : links(file));
}
