// Saves the tree when a task begins, and reads what changed since then or since a commit; the repository stays unchanged.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Changes } from '../../policies/prompt/source.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { readRegularOrNull } from '../../state/disk/regular-file.ts';
import { complaintOf } from './run-git.ts';
import { type Apart, type Invalid, invalid, leftOutBy, type TreeRules, takeIn, withApart } from './separate-index.ts';

interface ChangesRequest extends TreeRules {
  /** The task's own state. */
  task: string;
  environment: NodeJS.ProcessEnv;
  halt?: AbortSignal;
}

type ChangesRead = { how: 'read'; changes: Changes; warnings: string[] } | Invalid;

/** The id of a commit or a tree; git gets nothing else as one. */
export const IS_ID = /^[0-9a-f]{40,64}$/;
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * Returns the diff of the tree against `base`, or against the task's start, with `context` lines around each change and at most `most` characters; `invalid` with a sentence if git or the reference is
 * missing.
 */
export async function readChanges(
  request: ChangesRequest,
  from: { base?: string | undefined; since?: 'start' | undefined; context?: number; most?: number },
): Promise<ChangesRead> {
  const start = from.base === undefined ? startOf(request.task) : null;
  const others = start === null ? [] : [start.objects];
  return withApart({ ...request, others }, async (apart): Promise<ChangesRead> => {
    const since = from.base ?? 'the task began';
    const nothing = { since, text: '', files: 0, forbidden: 0 };
    if (from.base === undefined && start === null) return { how: 'read', changes: nothing, warnings: [] };
    const base = start === null ? await baseOf(apart, from.base!, request.cwd) : start.tree;
    if (typeof base !== 'string') return base;
    if (!IS_ID.test(base))
      return invalid(`${path.dirname(start!.objects)}/tree names no tree of git; remove its folder to begin again`);
    const taken = await takeIn(apart, request);
    if (taken.how === 'invalid') return taken;
    const apartFrom = await leaveOut(apart, base, request);
    if (!Array.isArray(apartFrom)) return apartFrom;
    const forbidden = new Set([...taken.forbidden, ...apartFrom]).size;
    const ran = await apart.git(
      ['diff-index', '--cached', ...PATCH, `-U${from.context ?? 3}`, base, '--', '.'],
      from.most === undefined ? {} : { most: from.most },
    );
    if (ran.code !== 0) return invalid(`git could not compare with ${since}: ${complaintOf(ran)}`);
    const text = ran.stdout;
    if (text.length > MAX_CHARS)
      return invalid(`the changes since ${since} have ${text.length} characters; at most ${MAX_CHARS} are read`);
    const files = text.match(/^diff --git /gm)?.length ?? 0;
    return { how: 'read', changes: { since, text, files, forbidden }, warnings: taken.warnings };
  });
}

/** Returns the merge base of HEAD and the reference: later changes of others on the reference are not ours. */
async function baseOf({ git }: Apart, ref: string, cwd: string): Promise<string | Invalid> {
  const commitOf = async (name: string) => {
    const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    const id = (await git(argv)).stdout.trimEnd();
    return IS_ID.test(id) ? id : undefined;
  };
  const commit = await commitOf(ref);
  if (commit === undefined) {
    const remote = `origin/${ref}`;
    const hint =
      (await commitOf(remote)) === undefined
        ? 'name a branch, a tag or a commit that is there'
        : `did you mean ${remote}?`;
    return invalid(`there is no commit "${ref}" in the repository of ${cwd}; ${hint}`);
  }
  const head = await commitOf('HEAD');
  return head === undefined ? commit : (await git(['merge-base', commit, head])).stdout.trim() || commit;
}

/** The bytes must not depend on a user's settings, nor on the number of objects. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
const COMPARE = ['diff-index', '--cached', ...PLAIN];
/** The form of each diff that is shown. */
export const PATCH = [
  ...PLAIN,
  '-p',
  '-M',
  '--full-index',
  '--submodule=short',
  '--diff-algorithm=myers',
  '--relative',
  ...['--src-prefix=a/', '--dst-prefix=b/'],
];

/** Resets what must not be shown to its state in the base, so that it is not a change. @returns the forbidden names. */
async function leaveOut({ git, prefix }: Apart, base: string, rules: TreeRules): Promise<string[] | Invalid> {
  const ran = await git([...COMPARE, '--raw', '-z', '--no-renames', '--no-abbrev', base, '--', '.']);
  if (ran.code !== 0) return invalid(`git could not compare with ${base}: ${complaintOf(ran)}`);
  const leftOut = leftOutBy(rules);
  const lines: string[] = [];
  const forbidden: string[] = [];
  for (const [, mode, id, name] of ran.stdout.matchAll(/:(\d+) \d+ ([0-9a-f]+) [0-9a-f]+ [A-Z]\d*\0([^\0]*)\0/g)) {
    const here = name!.slice(prefix.length);
    const why = leftOut(here);
    if (why === null) continue;
    if (why === 'forbidden') forbidden.push(here);
    lines.push(`${Number(mode) === 0 ? '0' : mode} ${id}\t${name}\0`);
  }
  const input = lines.join('');
  const put = input === '' ? null : await git(['update-index', '-z', '--index-info'], { input });
  return put === null || put.code === 0 ? forbidden : invalid(`git could not leave files out: ${complaintOf(put)}`);
}

interface Start {
  tree: string;
  /** The folder with the objects that the repository does not have. */
  objects: string;
}

const placesOf = (task: string) => ({
  name: path.join(task, 'start', 'tree'),
  objects: path.join(task, 'start', 'objects'),
});

/** @returns null before the first run that needs it. @param task the task's state. */
export function startOf(task: string): Start | null {
  const { name, objects } = placesOf(task);
  const tree = readRegularOrNull(name)?.trim() ?? null;
  return tree === null ? null : { tree, objects };
}

/** After this, the next run saves a new start. */
export const forgetStart = (task: string): void => rmSync(path.join(task, 'start'), { recursive: true, force: true });

/** Saves the tree as git objects in the task's own state, outside the repository. Does so only the first time. */
export async function keepStart(
  task: string,
  rules: TreeRules & { environment: NodeJS.ProcessEnv; halt?: AbortSignal },
): ReturnType<typeof takeIn> {
  if (startOf(task) !== null) return { how: 'taken', forbidden: [], unread: [], warnings: [] };
  const { name, objects } = placesOf(task);
  return withApart({ ...rules, objects }, async (apart): ReturnType<typeof takeIn> => {
    const taken = await takeIn(apart, rules);
    if (taken.how === 'invalid') return taken;
    const written = await apart.git(['write-tree', '--missing-ok']);
    if (written.code !== 0) return invalid(`the tree could not be kept as it is: ${complaintOf(written)}`);
    await writeAtomic(name, written.stdout);
    return taken;
  });
}
