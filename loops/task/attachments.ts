// Finds and reads what a stage attaches: text as head and tail, other files by name only, forbidden files not at all.

import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../policies/prompt/source.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Forbids } from '../tree/forbidden.ts';
import { spelledIn, spellings } from '../tree/read-within-folder.ts';
import { readText } from './read-text.ts';

interface Attachable {
  stage: string;
  /** undefined: all files in the task's `inputs/attachments/`. */
  globs: readonly string[] | undefined;
  /** The tree in which the CLI runs. */
  tree: string;
  inputs: string;
  /** The folder with every task's state. Nothing in it is attached from the tree. */
  state: string;
}

/** A file to attach: `name` is relative to `base`, which is the tree or the task's inputs. */
interface AttachedFile {
  name: string;
  base: string;
}

type AttachmentsRead =
  | { how: 'read'; attachments: Attachment[]; warnings: string[] }
  | { how: 'invalid'; message: string };

export const MAX_BYTES = 64 * 1024 * 1024;
/** How many of the largest files the message names if all together are too large. */
const NAMED = 3;

/**
 * @param root the folder to which `security.forbidden_paths` are relative, besides the tree
 * @param windowChars the number of characters to read at each end of a text; the prompt will not contain more
 */
export async function readAttachments(
  of: Attachable,
  root: string,
  forbids: Forbids,
  windowChars: number,
  halt?: AbortSignal,
): Promise<AttachmentsRead> {
  const found = await attachedFiles(of);
  if (found.how === 'invalid') return found;
  const looked: Looked[] = [];
  const unnamed: string[] = [];
  for (const file of found.files) {
    if (halt?.aborted) return invalid(of, STOPPED);
    const seen = await look(file, root, forbids).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
      if (error.code === 'ENOENT' && file.name.includes(NO_UTF8)) return null;
      return `cannot be read (${error.code})`;
    });
    if (seen === null) {
      unnamed.push(`${file.name} has a name that is not UTF-8, and is not included`);
      continue;
    }
    if (typeof seen === 'string') return invalid(of, `${file.name} ${seen}`);
    looked.push(seen);
  }
  const included = looked.filter(({ glob }) => glob === null).sort((a, b) => b.bytes - a.bytes);
  const bytes = included.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES) {
    const largest = included.slice(0, NAMED).map((file) => `${file.name} ${file.bytes}`);
    const all = `${included.length} files have ${bytes} bytes in all`;
    return invalid(of, `${all}; at most ${MAX_BYTES} are attached; the largest: ${largest.join(', ')}`);
  }
  const attachments: Attachment[] = [];
  for (const { name, file, glob, ...size } of looked) {
    if (halt?.aborted) return invalid(of, STOPPED);
    const read = glob === null ? await readText(file, windowChars, MAX_BYTES) : null;
    if (read?.how === 'failed') return invalid(of, `${name} ${read.why}`);
    const holds = read ?? { how: 'forbidden' as const, glob: glob ?? '', ...size };
    attachments.push({ name, path: path.relative(of.tree, file), bytes: holds.bytes, holds });
  }
  return { how: 'read', attachments, warnings: [...found.warnings, ...unnamed] };
}

const STOPPED = 'stopped before all was read';

/** The character that replaces invalid UTF-8 bytes in a name. No file is found by such a name. */
const NO_UTF8 = '\ufffd';

interface Looked {
  name: string;
  file: string;
  bytes: number;
  /** The glob that forbids the file. */
  glob: string | null;
}

/** Checks all names of the file, since each may be forbidden. Returns a sentence if the file leads out of its base. */
async function look({ name, base }: AttachedFile, root: string, forbids: Forbids): Promise<string | Looked> {
  const file = path.join(base, name);
  const [real, realBase, realRoot] = await Promise.all([realpath(file), realpath(base), realpath(root)]);
  if (!isWithin(realBase, real)) return `leads out of ${base} by a symbolic link`;
  const names = [name, path.relative(realBase, real), path.relative(root, file), path.relative(realRoot, real)];
  const { size } = await stat(real);
  return { name, file, bytes: size, glob: forbids([...names, name.replace(/^attachments\//, '')], real) };
}

const invalid = ({ stage }: Attachable, what: string): AttachmentsRead => ({
  how: 'invalid',
  message: `stage ${stage}: attach: ${what}`,
});

type Attached = { how: 'found'; files: AttachedFile[]; warnings: string[] } | { how: 'invalid'; message: string };

const MAX_FILES = 1000;

/** A higher count has no use. */
const MOST_COUNTED = 100_000;

/** Finds the files by the stage's globs in the tree, and those under `attachments/` in the task's inputs. Sorted by name, byte by byte. */
async function attachedFiles(of: Attachable): Promise<Attached> {
  const globs = of.globs ?? ((await holdsSomething(path.join(of.inputs, OF_TASK))) ? [`${OF_TASK}**`] : []);
  const wanted = globs.filter((glob) => !isNegative(glob));
  const unwanted = globs.filter(isNegative).map((glob) => glob.slice(1));
  if (wanted.length === 0 && unwanted.length > 0)
    return {
      how: 'invalid',
      message: `stage ${of.stage}: attach "${globs[0]}" only takes away; say what is attached before it, such as "**"`,
    };
  const files = new Map<string, AttachedFile>();
  const passed = {
    links: new Set<string>(),
    special: new Set<string>(),
    hidden: new Set<string>(),
    broken: new Set<string>(),
  };
  if (of.globs === undefined && (await leadsNowhere(path.join(of.inputs, OF_TASK.slice(0, -1)))))
    passed.links.add(OF_TASK.slice(0, -1));
  let count = 0;
  for (const glob of wanted) {
    const matched = await matchedBy(glob, unwanted, of);
    if (matched.how === 'invalid')
      return { how: 'invalid', message: `stage ${of.stage}: attach "${glob}" ${matched.message}` };
    count = Math.max(count, matched.count);
    for (const file of matched.files) files.set(`${file.base}\0${file.name}`, file);
    for (const [how, names] of Object.entries(passed))
      for (const name of matched[how as keyof typeof passed]) names.add(name);
  }
  count = Math.max(count, files.size);
  if (count > MAX_FILES)
    return {
      how: 'invalid',
      message: `stage ${of.stage}: attach matches ${count} files${count >= MOST_COUNTED ? ' or more' : ''}; at most ${MAX_FILES} are attached, so name fewer`,
    };
  return { how: 'found', files: [...files.values()].sort(byBytes), warnings: warningsAbout(passed, files) };
}

/** `!(a|b)` is an ordinary glob, not an exclusion. */
const isNegative = (glob: string): boolean => /^!(?!\()/.test(glob);

type PassedOver = Record<'links' | 'special' | 'hidden' | 'broken', Set<string>>;

/** Warns by name about files that a reader may expect in the prompt. */
function warningsAbout(passed: PassedOver, files: ReadonlyMap<string, AttachedFile>): string[] {
  const taken = new Set([...files.values()].map(({ name }) => name));
  return (Object.keys(PASSED_OVER) as (keyof PassedOver)[]).flatMap((how) => {
    const names = [...passed[how]]
      .filter((name) => !taken.has(name))
      .map(spelt)
      .sort();
    return names.length === 0 ? [] : listed(names, PASSED_OVER[how]);
  });
}

/** Escapes a line break in a name, so that it does not break the report's line. */
const spelt = (name: string): string => name.replace(/\p{Cc}/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);

interface Words {
  one: string;
  several: string;
}

const PASSED_OVER = {
  links: {
    one: 'is a symbolic link, which is not followed, and is not included',
    several: 'symbolic links are not followed and not included',
  },
  special: { one: 'is not a regular file, and is not included', several: 'are not regular files, and not included' },
  hidden: {
    one: 'is hidden (a glob names it by its dot), and is not included',
    several: 'hidden files are not included (a glob names them by their dot)',
  },
  broken: {
    one: 'has a line break in its name, and is not included by a glob',
    several: 'files have a line break in their names, and are not included by a glob',
  },
} as const satisfies Record<keyof PassedOver, Words>;

/** A tree may hold hundreds of them. */
const listed = (names: readonly string[], { one, several }: Words): string[] =>
  names.length > 3
    ? [`${names.length}${names.length >= MOST_ODD ? ' or more' : ''} ${several}: ${names.slice(0, 3).join(', ')}, ...`]
    : names.map((name) => `${name} ${one}`);

/** A higher count of hidden files and the like has no use. */
const MOST_ODD = 1000;

const OF_TASK = 'attachments/';

type Matched =
  | ({ how: 'found'; files: AttachedFile[]; count: number } & Record<keyof PassedOver, string[]>)
  | { how: 'invalid'; message: string };

async function matchedBy(said: string, unwanted: readonly string[], of: Attachable): Promise<Matched> {
  if (path.isAbsolute(said)) return mismatch(`is an absolute path; it must be relative to ${of.tree}`);
  if (LEAVES.test(said)) return mismatch(`leads out of ${of.tree} ("..")`);
  const base = said.startsWith(OF_TASK) ? of.inputs : of.tree;
  const glob = spelledIn(base, said.replace(/^(?:\.\/)+/, ''));
  const kind = await lstat(path.join(base, glob)).catch(() => null);
  if (kind?.isSymbolicLink())
    return mismatch('is a symbolic link, which is not followed; name the file that it leads to');
  if (kind?.isDirectory()) return mismatch(`is a folder; say "${glob.replace(/\/+$/, '')}/**" for the files in it`);
  const { alternatives, literal, matchesOf, oddlyNamed } = await import('./matches.ts');
  const unwelcome = unwanted.flatMap((not) => spellings(not.replace(/^(?:\.\/)+/, '')));
  const never = [...(base === of.tree ? neverOf(of) : []), ...unwelcome];
  try {
    // The name of a file or folder may itself look like a glob.
    const all = alternatives(kind?.isFile() ? literal(glob) : glob).flatMap(spellings);
    if (all.some((one) => LEAVES.test(one))) return mismatch(`leads out of ${of.tree} ("..")`);
    if (all.some((one) => path.isAbsolute(one)))
      return mismatch(`holds an absolute path; it must be relative to ${of.tree}`);
    const meant = await Promise.all(all.map((one) => literally(one, base, literal)));
    const found = await matchesOf(meant, base, never, {
      kept: MAX_FILES + 1,
      counted: MOST_COUNTED,
    });
    const odd = await oddlyNamed(meant, base, never, MOST_ODD);
    if (found.count === 0 && of.globs !== undefined) return mismatch(await nothing(glob, base, { ...found, ...odd }));
    return { ...found, ...odd, how: 'found', files: found.files.map((name) => ({ name, base })) };
  } catch (error) {
    if (!isSystemError(error)) return mismatch(`is not a glob (${(error as Error).message})`);
    return mismatch(`cannot be looked up: ${error.path ?? base} (${error.code})`);
  }
}

/** Matches a path part `..`, also in braces and brackets. */
const LEAVES = /(?:^|[/{(,|])\.\.(?:$|[/}),|])/;

/** Treats folders on the way literally if a folder of exactly that name exists: app/[id]/(public). */
async function literally(glob: string, base: string, literal: (name: string) => string): Promise<string> {
  const steps = glob.split('/');
  let at = base;
  for (const [i, step] of steps.entries()) {
    at = path.join(at, step);
    if (!(await lstat(at).catch(() => null))?.isDirectory()) break;
    steps[i] = literal(step);
  }
  return steps.join('/');
}

function neverOf({ tree, state }: Attachable): string[] {
  const within = path.relative(tree, state);
  return ['**/.git', '**/.git/**', '.tmp/**', ...(/^(?:\.\.|$)/.test(within) ? [] : [`${within}/**`])];
}

/** Says how far the path exists, and which name is nearest to the next step. */
async function nothing(
  glob: string,
  base: string,
  { links, hidden }: Record<keyof PassedOver, readonly string[]>,
): Promise<string> {
  const reason = `matches no file in ${base}`;
  if (links.length > 0) return `${reason} but symbolic links, which are not followed`;
  if (hidden.length > 0) return `${reason} but hidden ones (${hidden[0]}), which a glob names by their dot`;
  if (/^(?:\.git|\.tmp)(?:\/|$)/.test(glob)) return `${reason}: nothing of .git and .tmp is attached`;
  if (glob.startsWith(`inputs/${OF_TASK}`))
    return `${reason}; a file in the task's inputs/ is written "${glob.slice('inputs/'.length)}"`;
  let at = base;
  for (const step of glob.split('/')) {
    const names = await readdir(at).catch(() => null);
    if (names === null) return reason;
    if (!names.includes(step)) {
      const near = nearest(step, names.sort());
      const where = path.relative(base, at);
      const hint = near === null ? '' : `; did you mean "${path.join(where, near)}"?`;
      return where === '' || hint !== '' ? reason + hint : `${reason}; there is ${where}/, but nothing in it matches`;
    }
    at = path.join(at, step);
  }
  return reason;
}

const holdsSomething = async (folder: string): Promise<boolean> =>
  (await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : [''])))?.length > 0;

/** Reports a dangling symlink in place of the folder. A symlink to a folder is refused at its first file. */
const leadsNowhere = async (place: string): Promise<boolean> =>
  (await lstat(place).catch(() => null))?.isSymbolicLink() === true && (await stat(place).catch(() => null)) === null;

const byBytes = (a: AttachedFile, b: AttachedFile): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || (a.base < b.base ? -1 : 1);

const mismatch = (message: string): Matched => ({ how: 'invalid', message });
