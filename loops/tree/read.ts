// Reads what changed in the tree since a commit, or since the task began, as a unified diff; does not change the repository.

import path from 'node:path';
import type { Changes } from '../../policies/prompt/source.ts';
import { type Apart, type Invalid, invalid, withApart } from './apart.ts';
import { complaintOf } from './run-git.ts';
import { startOf } from './start.ts';
import { leftOutBy, type TreeRules, takeIn } from './take-in.ts';

interface ChangesRequest extends TreeRules {
  /** The task's own state. */
  task: string;
  environment: NodeJS.ProcessEnv;
  halt?: AbortSignal;
}

type ChangesRead = { how: 'read'; changes: Changes; warnings: string[] } | Invalid;

/** The id of a commit or a tree; git gets nothing else as one. */
const IS_ID = /^[0-9a-f]{40,64}$/;
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * Returns the diff of the tree against `base`, or against the task's start; `invalid` with a sentence if git or the reference is
 * missing.
 */
export async function readChanges(
  request: ChangesRequest,
  from: { base?: string | undefined; since?: 'start' | undefined },
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
    const ran = await apart.git([...PATCH, base, '--', '.']);
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
const COMPARE = ['diff-index', '--cached', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
const PATCH = [
  ...COMPARE,
  '-p',
  '-M',
  '-U3',
  '--full-index',
  '--submodule=short',
  '--diff-algorithm=myers',
  '--relative',
  ...['--src-prefix=a/', '--dst-prefix=b/'],
];

/**
 * Resets what must not be shown to its state in the base, so that it is not a change.
 * @returns the forbidden names
 */
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
