// Which glob of `security.forbidden_paths` a path falls under (a door to picomatch).

import picomatch from 'picomatch';

export type Forbids = (paths: readonly string[]) => string | null;

/**
 * The first glob that matches one of the paths, which are ways to say the same file. A glob that names a folder means
 * all that is in it, one without a `/` is meant at any depth, and hidden files are files.
 */
export function forbiddenBy(globs: readonly string[]): Forbids {
  const rows = globs.map((glob) => ({ glob, matches: picomatch(formsOf(glob), { dot: true }) }));
  return (paths) => rows.find(({ matches }) => paths.some((path) => matches(path)))?.glob ?? null;
}

function formsOf(glob: string): string[] {
  const plain = glob.replace(/^(?:\.?\/)+|\/+$/g, '');
  const anywhere = plain.includes('/') ? [plain] : [plain, `**/${plain}`];
  return anywhere.flatMap((form) => [form, `${form}/**`]);
}
