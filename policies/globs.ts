// Matches paths of the tree against lists of globs, and says which glob it was (the one door to picomatch).

import picomatch from 'picomatch';

/** The first glob of a list that matches, as it was written; null when none does. */
export type GlobMatch = (path: string) => string | null;

/**
 * Paths are relative to the tree's root, with `/`. Case counts and names that begin with a dot are names like all others.
 * A glob whose last part is a plain name, or that ends with `/`, covers what lies below it too. What lies in `.git` is
 * matched only by a glob that names `.git`.
 */
export function compileGlobs(globs: readonly string[]): GlobMatch {
  const rows = globs.map((glob) => ({ glob, matches: compile(glob) }));
  return (path) => rows.find(({ matches }) => matches(path))?.glob ?? null;
}

/** As `security.forbidden_paths` means them: one without a `/` forbids that name at any depth. */
export function compileForbidden(globs: readonly string[]): GlobMatch {
  const rows = globs.map((glob) => {
    const isName = !normalise(glob).replace(/\/+$/, '').includes('/');
    return { glob, match: compileGlobs(isName ? [glob, `**/${glob}`] : [glob]) };
  });
  return (path) => rows.find(({ match }) => match(path) !== null)?.glob ?? null;
}

/** Why a glob can match nothing, in words for whoever wrote it; null when it can. */
export function globMistake(glob: string): string | null {
  const plain = normalise(glob);
  const shown = glob.length > MAX_SHOWN ? `${glob.slice(0, MAX_SHOWN)}…` : glob;
  if (glob.startsWith('!')) return `"${shown}" begins with "!"; put what is not meant into the other list`;
  if (plain === '') return `"${shown}" names nothing; "**" is everything`;
  if (LEAVES.test(plain)) return `"${shown}" has a part ".."; globs begin at the root of the tree and stay in it`;
  try {
    picomatch.makeRe(plain, OPTIONS);
    return null;
  } catch (error) {
    return `"${shown}" is no glob (${(error as Error).message})`;
  }
}

export type InTree = { how: 'in_tree'; glob: string } | { how: 'mistaken'; message: string };

/**
 * A leading `/` means the root of the tree, as in .gitignore; but a glob that spells out one of `roots`, which are ways to name
 * that root, is meant as the absolute path that it is, and one that names another place of the machine protects nothing.
 */
export function globInTree(glob: string, roots: readonly string[]): InTree {
  const root = roots.find((one) => glob === one || glob.startsWith(`${one}/`));
  if (root !== undefined) return { how: 'in_tree', glob: normalise(glob.slice(root.length)) || '**' };
  if (!OF_MACHINE.test(glob)) return { how: 'in_tree', glob };
  const message = `"${glob}" looks like a path outside of the tree, where it would match nothing; globs begin at ${roots[0]}: say "${normalise(glob)}" for what is in there`;
  return { how: 'mistaken', message };
}

/** Where programs and people have their files on Linux and macOS. */
const OF_MACHINE = /^\/+(?:etc|home|mnt|opt|private|root|tmp|Users|usr|var)(?:\/|$)/;

// Without the flag `s` no wildcard would match a name that holds a line break, and a denied folder could be written to.
const OPTIONS = { dot: true, nonegate: true, flags: 's', debug: true } as const;

const MAX_SHOWN = 80;
const LEAVES = /(?:^|\/)\.\.(?:\/|$)/;
const NAMES_GIT = /(?:^|[/{(,|])\.git(?:$|[/}),|])/;
const INTERNAL = /^\.git(?:\/|$)/;
const WILD = /[*?[\]{}()!+@\\]/;

function compile(glob: string): (path: string) => boolean {
  if (globMistake(glob) !== null) return () => false;
  const plain = normalise(glob);
  const bare = plain.replace(/\/+$/, '');
  const covers = bare !== plain || !WILD.test(bare.slice(bare.lastIndexOf('/') + 1));
  const patterns = [bare, ...(covers ? [`${bare}/**`] : [])].map((pattern) => picomatch.makeRe(pattern, OPTIONS));
  const namesGit = NAMES_GIT.test(plain);
  // Names with brackets are common, and whoever writes one as it is means it: app/[id]/(public).
  const literal = (path: string) => path === bare || path.startsWith(`${bare}/`);
  return (path) =>
    (namesGit || !INTERNAL.test(path)) && (literal(path) || patterns.some((pattern) => pattern.test(path)));
}

const normalise = (glob: string): string => glob.replace(/^(?:\.?\/+)+/, '');
