// Matches paths of the tree against lists of globs, and returns the matching glob (the only file that uses picomatch).

import picomatch from 'picomatch';

/** Returns the first matching glob of a list, as it was written; null if none matches. */
type GlobMatch = (path: string) => string | null;

/**
 * Paths are relative to the tree's root, with `/`. Case matters, and names that begin with a dot are treated like all others. An
 * `é` of one character and one of two (as macOS and some archives write it) are the same name. A glob whose last part is a plain
 * name, or that ends with `/`, also covers everything below it. Files in `.git` match only a glob that names `.git`.
 */
export function compileGlobs(globs: readonly string[]): GlobMatch {
  const rows = globs.map((glob) => ({ glob, matches: compile(glob) }));
  return (path) => {
    const name = composed(path);
    return rows.find(({ matches }) => matches(name))?.glob ?? null;
  };
}

/** Compiles globs as in `security.forbidden_paths`: one without a `/` forbids that name at any depth. */
export function compileForbidden(globs: readonly string[]): GlobMatch {
  const rows = globs.map((glob) => ({ glob, match: compileGlobs(atAnyDepth(glob)) }));
  return (path) => rows.find(({ match }) => match(path) !== null)?.glob ?? null;
}

/** Returns globs with the same meaning that each begin at the root. */
export function atAnyDepth(glob: string): string[] {
  const isName = !normalise(glob).replace(/\/+$/, '').includes('/');
  return isName ? [glob, `**/${glob}`] : [glob];
}

/**
 * Whether one of the globs may match something below a folder, so that a search need not enter other folders. The answer is yes
 * in doubt. From a part on that can match more than one step, it is not checked further.
 */
export function compileReach(globs: readonly string[]): (folder: string) => boolean {
  const rows = globs.filter((glob) => globMistake(glob) === null).map(reachOf);
  return (folder) => {
    const steps = composed(folder).split('/');
    return rows.some((reaches) => reaches(steps));
  };
}

/** Returns why a glob can match nothing, for its author; null if it can match. */
export function globMistake(glob: string): string | null {
  const plain = normalise(glob);
  const shown = glob.length > MAX_SHOWN ? `${glob.slice(0, MAX_SHOWN)}…` : glob;
  if (glob.startsWith('!')) return `"${shown}" begins with "!"; put what is not meant into the other list`;
  if (plain === '') return `"${shown}" names nothing; "**" is everything`;
  if (isCostly(plain))
    return `"${shown}" has too many wildcards, so that a long name could keep a run busy: use at most ${MOST_STARS} of * in one part, ${MOST_STARS} of **, ${MOST_GROUPS} groups in brackets, and no wildcard or | in a group that repeats`;
  if (LEAVES.test(plain)) return `"${shown}" has a part ".."; globs begin at the root of the tree and stay in it`;
  try {
    picomatch.makeRe(plain, OPTIONS);
    return null;
  } catch (error) {
    return `"${shown}" is not a glob (${(error as Error).message})`;
  }
}

/** Each further wildcard of one pattern multiplies the time for a long name by its length. */
const MOST_STARS = 3;
const MOST_GROUPS = 3;

function isCostly(glob: string): boolean {
  const parts = glob.split('/');
  const groups = (glob.match(/[({]/g) ?? []).length;
  const inOnePattern = parts.every(isWhole) ? parts.filter((part) => part !== '**') : [glob];
  return (
    groups > MOST_GROUPS ||
    parts.filter((part) => part === '**').length > MOST_STARS ||
    REPEATED.test(glob) ||
    inOnePattern.some((part) => (part.match(/\*+/g) ?? []).length > MOST_STARS)
  );
}

/** A group that repeats a choice or a wildcard: one name may match it in very many ways. */
const REPEATED = /[+*]\([^)]*[|*?+@!([{]/;

/** Whether no bracket of it reaches into the next part. */
const isWhole = (part: string): boolean =>
  ['()', '[]', '{}'].every(([open, close]) => part.split(open!).length === part.split(close!).length);

type InTree = { how: 'read'; glob: string } | { how: 'invalid'; message: string };

/**
 * A leading `/` means the root of the tree, as in .gitignore. But a glob that begins with one of `roots`, which are ways to name
 * that root, is an absolute path. A glob that names another place on the machine protects nothing.
 */
export function globInTree(glob: string, roots: readonly string[]): InTree {
  const root = roots.find((one) => glob === one || glob.startsWith(`${one}/`));
  if (root !== undefined) return { how: 'read', glob: normalise(glob.slice(root.length)) || '**' };
  if (!OF_MACHINE.test(glob)) return { how: 'read', glob };
  const message = `"${glob}" looks like a path outside of the tree, where it would match nothing; globs begin at ${roots[0]}: say "${normalise(glob)}" for what is in there`;
  return { how: 'invalid', message };
}

/** The folders in which programs and users have files on Linux and macOS. */
const OF_MACHINE = /^\/+(?:etc|home|mnt|opt|private|root|tmp|Users|usr|var)(?:\/|$)/;

// Without the flag `s`, no wildcard would match a name with a line break, and a denied folder could be written to.
const OPTIONS = { dot: true, nonegate: true, flags: 's', debug: true } as const;

const MAX_SHOWN = 80;
const LEAVES = /(?:^|\/)\.\.(?:\/|$)/;
const NAMES_GIT = /(?:^|[/{(,|])\.git(?:$|[/}),|])/;
const INTERNAL = /^\.git(?:\/|$)/;
const WILD = /[*?[\]{}()!+@\\]/;

function compile(glob: string): (path: string) => boolean {
  if (globMistake(glob) !== null) return () => false;
  const { plain, bare, covers } = partsOf(glob);
  const namesGit = NAMES_GIT.test(plain);
  const matches = plainly(bare) ?? byPattern(bare, covers);
  // Names with brackets are common, and a glob that is equal to such a name means it: app/[id]/(public).
  const literal = (path: string) => path === bare || path.startsWith(`${bare}/`);
  return (path) => (namesGit || !INTERNAL.test(path)) && (literal(path) || matches(path));
}

function byPattern(bare: string, covers: boolean): (path: string) => boolean {
  if (bare.includes('**') && bare.split('/').every(isWhole)) return byParts(bare, covers);
  const pattern = picomatch.makeRe(bare, OPTIONS);
  return (path) => {
    for (let end = covers ? path.indexOf('/') : -1; end !== -1; end = path.indexOf('/', end + 1))
      if (pattern.test(path.slice(0, end))) return true;
    return pattern.test(path);
  };
}

/** Takes time in proportion to the path. One pattern with several `**` takes a power of it. */
function byParts(bare: string, covers: boolean): (path: string) => boolean {
  const parts = bare.split('/').map((part) => (part === '**' ? null : picomatch.makeRe(part, OPTIONS)));
  const withSkipped = (reached: Set<number>) => {
    // A `**` also matches no step.
    for (const at of reached) if (parts[at] === null) reached.add(at + 1);
    return reached;
  };
  return (path) => {
    /** How many parts may be matched by the steps so far. */
    let reached = withSkipped(new Set([0]));
    for (const step of path.split('/')) {
      const next = new Set<number>();
      for (const at of reached) {
        const part = parts[at];
        if (part === null) next.add(at);
        else if (part?.test(step)) next.add(at + 1);
      }
      if (next.size === 0) return false;
      reached = withSkipped(next);
      if (covers && reached.has(parts.length)) return true;
    }
    return reached.has(parts.length);
  };
}

/** Most globs need no pattern. A pattern costs several times as much for each of 100,000 paths. */
function plainly(bare: string): ((path: string) => boolean) | null {
  const name = bare.startsWith('**/') ? bare.slice('**/'.length) : bare;
  if (WILD.test(name) || name.includes('//')) return null;
  if (name === bare) return () => false;
  return (path) => `/${path}/`.includes(`/${name}/`);
}

/** `covers`: the glob also matches what is below the thing that it names. */
function partsOf(glob: string) {
  const plain = normalise(glob);
  const bare = plain.replace(/\/+$/, '');
  return { plain, bare, covers: bare !== plain || !WILD.test(bare.slice(bare.lastIndexOf('/') + 1)) };
}

/** Brackets may contain a `/`, or may be literal. */
const MANY_STEPS = /\*\*|[[\]{}()\\]/;

function reachOf(glob: string): (steps: readonly string[]) => boolean {
  const { bare, covers } = partsOf(glob);
  const parts = bare.split('/').map((part) => {
    if (MANY_STEPS.test(part)) return null;
    return WILD.test(part) ? picomatch.makeRe(part, OPTIONS) : part;
  });
  return (steps) => {
    for (const [at, step] of steps.entries()) {
      const part = parts[at];
      if (part === undefined) return covers;
      if (part === null) return true;
      if (typeof part === 'string' ? part !== step : !part.test(step)) return false;
    }
    return steps.length < parts.length || covers;
  };
}

const composed = (name: string): string => (NOT_ASCII.test(name) ? name.normalize('NFC') : name);
const NOT_ASCII = /[^\0-\x7f]/;

const normalise = (glob: string): string => composed(glob.replace(/^(?:\.?\/+)+/, ''));
