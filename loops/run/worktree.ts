// Makes a git worktree for one task and runs the task's stages in it, so that writing tasks need not wait for each other.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { firstNames, shellWord } from '../../policies/text/display.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { lockTree } from '../limits/tree-lock.ts';
import type { RunSettings } from '../task/run-context.ts';
import type { OpenTask } from '../task/task.ts';
import { submodulesIn } from '../tree/repository.ts';
import {
  askGit,
  askPaths,
  complaintOf,
  type Git,
  type GitRan,
  type GitRequest,
  gitWith,
  repositoryFilters,
  repositoryMistake,
  switchedOff,
} from '../tree/run-git.ts';
import { workingFolderMistake } from '../tree/task-tree.ts';

interface Trusting {
  environment: NodeJS.ProcessEnv;
  /** Only `trusted` runs filters from the repository's settings and fetches missing objects of a partial clone. */
  trust: 'trusted' | 'untrusted';
}

interface WorktreeRequest extends Trusting {
  /** The project's root, in a git repository. */
  root: string;
  taskId: string;
  /** The project's `.tmp`. */
  stateFolder: string;
  stop: AbortSignal;
  say(sentence: string): void;
  clock: () => Date;
}

interface Worktree {
  /** The equivalent of `root` in the worktree. */
  folder: string;
  /** The worktree's own root. */
  top: string;
  branch: string;
  /** True if this run made it from HEAD; an existing worktree is reused. */
  fresh: boolean;
}

type OpenedWorktree = ({ how: 'opened' } & Worktree) | { how: 'invalid'; message: string } | { how: 'stopped' };

/** A checkout of a very large tree takes minutes. */
const CHECKOUT_MS = 15 * 60_000;
const LOOK_MS = 60_000;
const MOST_NAMED = 5;

/** git is ended together with the run. What it has not done by then is not the user's mistake. */
export async function openWorktree(request: WorktreeRequest): Promise<OpenedWorktree> {
  const opened = await openOrMake(request);
  return opened.how === 'invalid' && request.stop.aborted ? { how: 'stopped' } : opened;
}

async function openOrMake(request: WorktreeRequest): Promise<OpenedWorktree> {
  const { root, taskId, stop } = request;
  const git = gitWith({ cwd: root, timeoutMs: LOOK_MS, environment: request.environment, halt: stop });
  const places = await askPaths(git, [['--git-common-dir'], ['--show-toplevel']]);
  if (!Array.isArray(places))
    return invalid(
      places.code === 127
        ? 'worktree: true needs git, and git is not on the PATH'
        : repositoryMistake(root, places, 'run git init and commit there, or leave worktree out'),
    );
  const [common, main] = places as [string, string];
  if ((await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])).code !== 0)
    return invalid(
      `the repository of ${root} has no commit yet, so there is nothing to make a worktree of; commit first`,
    );
  const converting = await convertingIn(root, request);
  if (converting.how === 'unknown')
    return invalid(`the filters of ${root} cannot be looked up: ${complaintOf(converting.ran)}`);
  // git locks each of its files, but does not protect a whole new worktree from a concurrent git command.
  const turn = await lockTree({ ...request, tree: common, mode: 'write', stage: 'worktree' });
  if (turn.how === 'stopped') return turn;
  try {
    const top = worktreeOf(request.stateFolder, taskId);
    const opened = await open(git, top, branchOf(taskId), { converting: converting.request, say: request.say });
    if (opened.how !== 'opened') return opened;
    if (opened.fresh) await reportOmissions(request, converting.names);
    return { ...opened, folder: path.join(top, path.relative(main, realpathSync.native(root))) };
  } finally {
    turn.release();
  }
}

/** git would make the folder readable for all users. If we cannot make it, git reports why. */
function makePrivate(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** The path of a task's worktree, whether it exists or not. */
export const worktreeOf = (stateFolder: string, taskId: string): string => path.join(stateFolder, 'worktrees', taskId);

/** The git settings for conversions: during a checkout, and when files are compared with the commit. */
async function convertingIn(
  cwd: string,
  { environment, trust }: Trusting,
): Promise<{ how: 'read'; names: string[]; request: Partial<GitRequest> } | { how: 'unknown'; ran: GitRan }> {
  if (trust === 'trusted') return { how: 'read', names: [], request: { fetching: 'allowed' } };
  const found = await repositoryFilters((args) => askGit(args, { cwd, timeoutMs: LOOK_MS, environment }));
  if (found.how === 'unknown') return found;
  return { how: 'read', names: found.names, request: { settings: switchedOff(found.names) } };
}

async function open(
  git: Git,
  top: string,
  branch: string,
  { converting, say }: { converting: Partial<GitRequest>; say(sentence: string): void },
): Promise<OpenedWorktree> {
  const folder = top;
  // git before 2.36 has no -z.
  const listed = await git(['worktree', 'list', '--porcelain', '-z']);
  const registered =
    listed.code === 0
      ? parseList(listed.stdout, '\0')
      : parseList((await git(['worktree', 'list', '--porcelain'])).stdout, '\n');
  const here = registered.find((one) => isSameFolder(one.folder, top));
  if (here !== undefined && existsSync(path.join(top, '.git'))) {
    if (here.branch === branch) return { how: 'opened', folder, top, branch, fresh: false };
    return invalid(
      `the worktree ${top} is on ${here.branch ?? 'no branch'}, not on ${branch}; git -C ${shellWord(top)} switch ${branch}, or git worktree remove ${shellWord(top)} to make it again`,
    );
  }
  if (isInTheWay(top))
    return invalid(`${top} is in the way: it is not a worktree of this repository; move it elsewhere`);
  const elsewhere = registered.find((one) => one.branch === branch && one !== here);
  if (elsewhere !== undefined)
    return invalid(
      `branch ${branch} is checked out in ${elsewhere.folder}; git worktree remove it, or switch it to another branch`,
    );
  // Commits of an earlier run on this branch are kept until they are merged, like everything else of the task.
  const ref = `refs/heads/${branch}`;
  const isNew = (await git(['rev-parse', '--verify', '--quiet', ref])).code !== 0;
  const fresh = isNew || (await git(['merge-base', '--is-ancestor', ref, 'HEAD'])).code === 0;
  const moved = fresh && !isNew ? await git(['update-ref', ref, 'HEAD']) : null;
  if (moved !== null && moved.code !== 0)
    return invalid(`git could not move branch ${branch} to HEAD: ${complaintOf(moved)}`);
  // Registered but missing: the user removed the folder manually, and --force tells git that we know this.
  const force = here === undefined ? [] : ['--force'];
  makePrivate(path.dirname(top));
  const added = await git(['worktree', 'add', ...force, ...(isNew ? ['-b', branch, top, 'HEAD'] : [top, branch])], {
    ...converting,
    timeoutMs: CHECKOUT_MS,
  });
  if (added.code !== 0) return invalid(`git could not make the worktree ${top}: ${complaintOf(added)}`);
  if (!fresh)
    say(
      `branch ${branch} has commits that are not merged, so the worktree continues them and lacks what is new in HEAD. Merge it (git merge ${branch}), or begin again without them: git worktree remove ${shellWord(top)} && git branch -D ${branch}`,
    );
  const empty = await submodulesIn((args) => git(args, { cwd: top }));
  if (empty.length > 0)
    say(
      `submodules are empty in the worktree: ${firstNames(empty, MOST_NAMED)}. Where the task needs them, stop it, and run git -C ${shellWord(top)} submodule update --init`,
    );
  return { how: 'opened', folder, top, branch, fresh };
}

async function reportOmissions(request: WorktreeRequest, filters: readonly string[]): Promise<void> {
  const { root, say } = request;
  if (await hasChanges(root, request))
    say(`uncommitted changes of ${root} are not in the worktree; commit them first where the task needs them`);
  if (filters.length > 0)
    say(
      `the worktree holds files as they are stored: the repository's own filters (${filters.join(', ')}) are run only in a trusted workspace; use --trust-workspace where the task needs them`,
    );
}

/** Returns the next steps for the user, as lines for the report. Nothing is removed automatically. */
export async function closeWorktree(
  { top, branch }: { top: string; branch: string },
  request: Trusting & { root: string },
): Promise<string[]> {
  const [there, here] = [`git -C ${shellWord(top)}`, `git -C ${shellWord(request.root)}`];
  const commit = (await hasChanges(top, request))
    ? [`${there} add -A && ${there} commit (its changes are not committed yet)`]
    : [];
  return [...commit, `${here} merge ${branch}`, `${here} worktree remove ${shellWord(top)} (when it is merged)`];
}

/** In doubt, returns true. Of a submodule, which has its own settings, only the commit is compared. */
export async function hasChanges(cwd: string, request: Trusting): Promise<boolean> {
  const converting = await convertingIn(cwd, request);
  if (converting.how === 'unknown') return true;
  const args = ['status', '--porcelain', '--ignore-submodules=dirty', '--', '.', ':(exclude,top).tmp'];
  const { environment } = request;
  return (await askGit(args, { cwd, timeoutMs: LOOK_MS, environment, ...converting.request })).stdout !== '';
}

/** git forbids some names that a task may have: with two dots, or with a dot at the start or end. */
export function branchOf(taskId: string): string {
  if (!/\.\.|^\.|\.$|\.lock$|^-/.test(taskId)) return `tollgate/${taskId}`;
  const hash = createHash('sha256').update(taskId).digest('hex').slice(0, 8);
  return `tollgate/${taskId.replace(/[^A-Za-z0-9_]+/g, '-')}-${hash}`;
}

function parseList(porcelain: string, end: '\0' | '\n'): { folder: string; branch: string | null }[] {
  return porcelain.split(end + end).flatMap((block) => {
    const lines = block.split(end);
    const after = (word: string) => lines.find((line) => line.startsWith(word))?.slice(word.length) ?? null;
    const folder = after('worktree ');
    return folder === null ? [] : [{ folder, branch: after('branch refs/heads/') }];
  });
}

function isInTheWay(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

const invalid = (message: string) => ({ how: 'invalid', message }) as const;

type Entered =
  /** `notes`: what the final report says about the worktree. */
  | { how: 'ready'; open: OpenTask; notes(): Promise<string[]> }
  | { how: 'invalid'; message: string }
  | { how: 'stopped' };

/** Returns the task in its worktree if its manifest says so, otherwise the task itself. */
export async function enterWorktree(
  open: OpenTask,
  { options: { trustWorkspace }, context: { environment, stop, say, clock } }: RunSettings,
): Promise<Entered> {
  const { task, manifest, root, stateFolder } = open;
  if (!manifest.worktree) return { how: 'ready', open, notes: async () => [] };
  const trust = trustWorkspace || manifest.security.trust_workspace ? 'trusted' : 'untrusted';
  const common = { root, environment, trust } as const;
  const opened = await openWorktree({ ...common, taskId: task.id, stateFolder, stop, say, clock });
  if (opened.how !== 'opened') return opened;
  const { folder, top, branch } = opened;
  const wrong = workingFolderMistake({ cwd: manifest.cwd, manifest: task.manifest!, root: folder, trust });
  if (wrong !== null) return { how: 'invalid', message: wrong };
  const notes = async () => {
    const lines = await closeWorktree(opened, common);
    return [`its changes are in ${top} on branch ${branch}; to take them: ${lines.join('; ')}`];
  };
  return { how: 'ready', open: within(open, folder), notes };
}

/** For read-only commands. @returns the task as it is in its worktree, or null if the worktree does not exist yet. */
export function lookIntoWorktree(open: OpenTask): OpenTask | null {
  if (!open.manifest.worktree) return open;
  const folder = worktreeOf(open.stateFolder, open.task.id);
  return existsSync(path.join(folder, '.git')) ? within(open, folder) : null;
}

const within = (open: OpenTask, folder: string): OpenTask => ({
  ...open,
  tree: folder,
  cwd: path.resolve(folder, open.manifest.cwd ?? '.'),
});
