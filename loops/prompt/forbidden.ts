// Which glob of `security.forbidden_paths` a path falls under.

import { compileForbidden } from '../../policies/globs.ts';

export type Forbids = (paths: readonly string[]) => string | null;

/** The first glob that matches one of the paths, which are ways to say the same file. */
export function forbiddenBy(globs: readonly string[]): Forbids {
  const match = compileForbidden(globs);
  return (paths) => paths.map(match).find((glob) => glob !== null) ?? null;
}
