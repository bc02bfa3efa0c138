// Which glob of `security.forbidden_paths` a file falls under, by any of its names.

import { compileForbidden } from '../../policies/text/globs.ts';
import { forbiddenLinks } from './forbidden-links.ts';

/**
 * The first glob that matches one of the paths, which are ways to say the same file.
 * @param file where it lies, to be recognised as a hard link of a forbidden one
 */
export type Forbids = (paths: readonly string[], file?: string) => string | null;

/** @param folders what the globs are relative to, in each of which forbidden files may lie */
export function forbiddenBy(globs: readonly string[], folders: readonly string[]): Forbids {
  const match = compileForbidden(globs);
  const links = forbiddenLinks(globs, folders);
  return (paths, file) => paths.map(match).find((glob) => glob !== null) ?? (file === undefined ? null : links(file));
}
