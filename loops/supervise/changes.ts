// Reads from git what changed since a supervision began: a diff for the reasoner and for the saved session.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { treeRules } from '../task/keep-start.ts';
import type { TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import { keepStart, readChanges } from '../tree/read-changes.ts';
import { askGit } from '../tree/run-git.ts';

const rulesOf = ({ open, context }: TaskRun) => treeRules(open, context, open.tree);

const isInGit = ({ open }: TaskRun): boolean => existsSync(path.join(open.tree, '.git'));

/** Runs once, before the first iteration. @returns why the start cannot be kept, or null. */
export async function keepBeginning(task: TaskRun): Promise<string | null> {
  if (!isInGit(task)) return null;
  const kept = await keepStart(task.open.task.state, await rulesOf(task));
  return kept.how === 'invalid' ? kept.message : null;
}

/** @returns null outside of git, and if git does not answer. */
export async function wholeDiff(task: TaskRun): Promise<string | null> {
  if (!isInGit(task)) return null;
  const read = await readChanges({ ...(await rulesOf(task)), task: task.open.task.state }, { since: 'start' });
  return read.how === 'read' ? read.changes.text : null;
}

interface GitStand {
  head: string | null;
  branch: string | null;
  /** A hash of git's list of uncommitted changes; null if git does not report it. */
  status: string | null;
}

const TIMEOUT_MS = 30_000;

/** @returns null outside of git. @param task the task's folder, whose own files do not count. */
export async function gitStand(
  { tree, task }: OpenTask,
  environment: NodeJS.ProcessEnv,
): Promise<(GitStand & { branches: string[] }) | null> {
  if (!existsSync(path.join(tree, '.git'))) return null;
  const within = path.relative(tree, task.root);
  const own = within === '' || within.startsWith('..') ? [] : [`:(exclude,literal)${within}`];
  const ask = async (...args: string[]) => {
    const ran = await askGit(args, { cwd: tree, timeoutMs: TIMEOUT_MS, environment });
    return ran.code === 0 ? ran.stdout.trim() : null;
  };
  const [head, branch, branches, status] = await Promise.all([
    ask('rev-parse', '--verify', '--quiet', 'HEAD'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('for-each-ref', '--format=%(refname:short)', 'refs/heads'),
    ask('status', '--porcelain=v1', '--untracked-files=all', '--', '.', ':(exclude).tmp', ...own),
  ]);
  return { head, branch, status, branches: (branches ?? '').split('\n').filter(Boolean) };
}
