// Applies the changes of one variant of a comparison to the user's tree, and removes the worktrees of a comparison.

import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type NextAction, toType } from '../../policies/facts/next-action.ts';
import { variantOf } from '../../policies/manifest/variants.ts';
import { firstNames } from '../../policies/text/display.ts';
import { tried } from '../../policies/text/tried.ts';
import { projectRoot, projectState } from '../../state/task-folder.ts';
import { launcherIn } from '../launcher.ts';
import { lockTree } from '../limits/tree-lock.ts';
import { branchOf, lookIntoWorktree, worktreeOf } from '../run/worktree.ts';
import type { RunContext } from '../task/run-context.ts';
import { type OpenTask, openTask } from '../task/task.ts';
import { allFilters, complaintOf, type Git, gitWith, switchedOff } from '../tree/run-git.ts';
import { withApart } from '../tree/separate-index.ts';
import { objectFolders, readTrees, treesOf } from '../tree/stage-trees.ts';
import { collectComparison, commitOf, DIFF, MOST_NAMED, uncommittedOf } from './compared.ts';
import { type Comparison, folderOf, keepComparison } from './comparison.ts';

type Picked =
  | { how: 'picked'; n: number; name: string; files: string[]; next_actions: NextAction[] }
  | { how: 'invalid'; message: string };

const PATIENCE_MS = 5 * 60_000;

/**
 * Applies exactly what the variant committed: what its gate checked, within its scope. The tree is changed completely or not at
 * all; nothing is staged or committed. @param word the number or the name of the variant.
 */
export async function pickVariant(
  comparison: Comparison,
  word: string,
  { context, trust }: { context: RunContext; trust: 'trusted' | 'untrusted' },
): Promise<Picked> {
  const { environment, cwd, stop, say, clock } = context;
  const { comparison_id: id, base, variants, removed } = comparison;
  if (removed !== null) return invalid(`the worktrees of ${id} were removed at ${removed}, so nothing can be applied`);
  const chosen = variantOf(word, variants);
  if (chosen === null)
    return invalid(
      `${id} has no variant "${word}"; its variants are ${variants.map(({ n, name }) => `${n} (${name})`).join(', ')}`,
    );
  const { n, name, task_id } = chosen;
  const { report } = await collectComparison(comparison, context);
  const { state, files, diff: size } = report.variants.find((variant) => variant.n === n)!;
  if (state !== 'done') {
    const how = state === 'running' ? 'is still running' : `did not pass (${state.replace('_', ' ')})`;
    const diff = files.diff !== null && existsSync(files.diff) ? `; what it changed is in ${files.diff}` : '';
    return invalid(`variant ${n} (${name}) ${how}, so its changes are not applied${diff}`);
  }
  if (comparison.picked?.n === n)
    return invalid(
      `the changes of variant ${n} (${name}) were applied at ${comparison.picked.at} already; to take them again: git merge ${branchOf(task_id)}`,
    );
  const opened = await openTask({ ...context, word: task_id, trustWorkspace: true }, 'look');
  if (opened.how === 'invalid') return opened;
  const commit = comparison.writes ? await commitOf(opened.open, base, environment) : null;
  const there = lookIntoWorktree(opened.open);
  const omitted = there === null ? [] : await uncommittedOf(there, { base, commit }, context);
  if (!Array.isArray(omitted)) return invalid(`what variant ${n} (${name}) changed cannot be read: ${omitted.message}`);
  if (commit === null || there === null) {
    if (omitted.length > 0)
      return invalid(
        `variant ${n} (${name}) changed only what no commit can hold, so there is nothing to apply: ${firstNames(omitted, MOST_NAMED)}. It is in ${files.worktree}`,
      );
    if (size === null || size.files === 0)
      return invalid(`variant ${n} (${name}) changed no file, so there is nothing to apply`);
    return invalid(
      `the changes of variant ${n} (${name}) are not on its branch ${branchOf(task_id)}, so its gate did not check them; look at them in ${files.worktree}`,
    );
  }
  const root = projectRoot(cwd);
  const git = gitIn(root, context);
  const stateFolder = projectState(cwd, environment);
  const turn = await lockTree({
    stateFolder,
    tree: root,
    mode: 'write',
    taskId: task_id,
    stage: 'pick',
    stop,
    say,
    clock,
  });
  if (turn.how === 'stopped') return invalid('it was stopped before anything was applied');
  try {
    const applied = await applyCommit(git, { base, commit, trust, gated: { ...there, environment } });
    if (!Array.isArray(applied)) {
      const merge = `git merge ${branchOf(task_id)}`;
      return invalid(
        `the changes of variant ${n} (${name}) were not applied: ${applied.message}; or take them by ${merge}`,
      );
    }
    if (omitted.length > 0)
      say(
        `not applied, since the commit of variant ${n} (${name}) does not have it: ${firstNames(omitted, MOST_NAMED)}. It is in ${there.tree}`,
      );
    await keepComparison(stateFolder, { ...comparison, picked: { n, at: clock().toISOString() } });
    const launcher = launcherIn(environment);
    const next_actions = [
      toType('review the changes', 'git diff'),
      toType('remove the worktrees and branches', `${launcher} compare --remove ${id}`),
    ];
    return { how: 'picked', n, name, files: applied, next_actions };
  } finally {
    turn.release();
  }
}

const gitIn = (cwd: string, { environment, stop }: RunContext): Git =>
  gitWith({ cwd, timeoutMs: PATIENCE_MS, environment, halt: stop });

/** The variant's task, whose state has the trees that its gate checked; `tree`: its worktree. */
type Gated = OpenTask & { environment: NodeJS.ProcessEnv };

/** @returns the changed paths, relative to the repository's root. */
async function applyCommit(
  git: Git,
  { base, commit, trust, gated }: { base: string; commit: string; trust: 'trusted' | 'untrusted'; gated: Gated },
): Promise<string[] | { message: string }> {
  const listed = await git([...DIFF, '--name-only', '-z', base, commit]);
  if (listed.code !== 0) return { message: complaintOf(listed) };
  const paths = listed.stdout.split('\0').slice(0, -1);
  if (paths.length === 0) return { message: 'its commit changes no file' };
  const unchecked = await uncheckedPaths(gated, commit, paths);
  if (!Array.isArray(unchecked)) return unchecked;
  if (unchecked.length > 0)
    return {
      message: `${firstNames(unchecked, MOST_NAMED)} on its branch is not what its gate checked; look at it, and run it again`,
    };
  const status = await git([
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ]);
  if (status.code !== 0) return { message: complaintOf(status) };
  const dirty = new Set(status.stdout.split('\0').map((line) => line.slice(3)));
  const touched = paths.filter((name) => dirty.has(name));
  if (touched.length > 0)
    return {
      message: `${firstNames(touched, MOST_NAMED)} would be changed, and has uncommitted changes; commit or stash them`,
    };
  const filters = trust === 'trusted' ? { how: 'found' as const, names: [] } : await allFilters(git);
  if (filters.how === 'unknown') return { message: `the filters of git cannot be read (${complaintOf(filters.ran)})` };
  const top = await git(['rev-parse', '--show-toplevel']);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-pick-'));
  try {
    const above = top.stdout.replace(/\n$/, '');
    const blocking = blockingFiles(above, paths);
    if (blocking.length > 0)
      return {
        message: `${firstNames(blocking, MOST_NAMED)} is where they need a folder or a file, and git does not have it; move it elsewhere`,
      };
    // By a file: the text of a patch need not be UTF-8.
    const file = path.join(folder, 'patch');
    const patch = await git([...DIFF, '--binary', '--full-index', `--output=${file}`, base, commit]);
    if (patch.code !== 0) return { message: complaintOf(patch) };
    const apply = (...flags: string[]) =>
      git(['apply', '--whitespace=nowarn', '-p1', ...flags, file], {
        cwd: above,
        settings: switchedOff(filters.names),
      });
    const checked = await apply('--check');
    if (checked.code !== 0) return { message: `they do not apply to the tree as it is now (${complaintOf(checked)})` };
    const applied = await apply();
    return applied.code === 0 ? paths : { message: complaintOf(applied) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Git applies a patch in part if a file that it does not know is in the place of a folder, or within a folder that becomes a file. */
function blockingFiles(top: string, paths: readonly string[]): string[] {
  const own = new Set(paths);
  const kindAt = (name: string) => tried(() => lstatSync(path.join(top, name)));
  const found = paths.flatMap((name) => {
    const above = foldersOf(name).filter((folder) => kindAt(folder)?.isDirectory() === false);
    if (kindAt(name)?.isDirectory() !== true || existsSync(path.join(top, name, '.git'))) return above;
    const within = readdirSync(path.join(top, name), { recursive: true, withFileTypes: true });
    const files = within.filter((entry) => !entry.isDirectory());
    return files.map((entry) => path.relative(top, path.join(entry.parentPath, entry.name)));
  });
  return [...new Set(found)].filter((name) => !own.has(name));
}

/** `a` and `a/b` of `a/b/c`. */
const foldersOf = (name: string): string[] =>
  name.split('/').flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at).join('/')]));

/** Another agent can move a branch of the repository after the gate, but not change the trees that the gate kept. */
async function uncheckedPaths(
  { task, plans, environment, tree }: Gated,
  commit: string,
  paths: readonly string[],
): Promise<string[] | { message: string }> {
  const writing = plans.filter(({ access }) => access !== 'read').map(({ stage }) => treesOf(task.state, stage.name));
  const after = writing.flatMap((folder) => readTrees(folder)?.after ?? []).at(-1);
  if (after === undefined) return { message: 'the tree that its gate checked was not kept' };
  const others = writing.flatMap(objectFolders);
  return withApart({ cwd: tree, environment, others }, async ({ git }): Promise<string[] | { message: string }> => {
    const ran = await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', after, commit]);
    if (ran.code !== 0) return { message: `the tree that its gate checked cannot be compared (${complaintOf(ran)})` };
    const differing = new Set(ran.stdout.split('\0'));
    return paths.filter((name) => differing.has(name));
  });
}

/** Removes the worktrees and the branches. The tasks, their answers and the report remain. @returns what prevents it. */
export async function removeComparison(comparison: Comparison, context: RunContext): Promise<string | null> {
  const { environment, cwd, clock } = context;
  const { report } = await collectComparison(comparison, context);
  const running = report.variants.find(({ state }) => state === 'running');
  if (running !== undefined)
    return `variant ${running.n} (${running.name}) is still running; wait for it, or stop the comparison`;
  await sayWhatGoes(comparison, context);
  const mistakes = await removeWorktrees(comparison, context);
  if (mistakes.length > 0) return mistakes.join('; ');
  await keepComparison(projectState(cwd, environment), { ...comparison, removed: clock().toISOString() });
  return null;
}

/** What is only in a worktree: neither a commit nor a kept diff has it. */
async function sayWhatGoes({ variants, base }: Comparison, context: RunContext): Promise<void> {
  for (const { n, name, task_id } of variants) {
    const opened = await openTask({ ...context, word: task_id, trustWorkspace: true }, 'look');
    const there = opened.how === 'invalid' ? null : lookIntoWorktree(opened.open);
    if (there === null) continue;
    const commit = await commitOf(there, base, context.environment);
    const omitted = await uncommittedOf(there, { base, commit }, context);
    if (!Array.isArray(omitted))
      context.say(
        `it is not known what no commit of variant ${n} (${name}) has, and it is removed with its worktree: ${omitted.message}`,
      );
    else if (omitted.length > 0)
      context.say(
        `what no commit of variant ${n} (${name}) has is removed with its worktree: ${firstNames(omitted, MOST_NAMED)}`,
      );
  }
}

/** Removes everything of a comparison that has paid for nothing. */
export async function removeTraces(comparison: Comparison, context: RunContext): Promise<void> {
  const state = projectState(context.cwd, context.environment);
  await removeWorktrees(comparison, context);
  for (const { task_id } of comparison.variants)
    rmSync(path.join(state, 'task', task_id), { recursive: true, force: true });
  rmSync(folderOf(state, comparison.comparison_id), { recursive: true, force: true });
}

async function removeWorktrees({ variants }: Comparison, context: RunContext): Promise<string[]> {
  const { environment, cwd } = context;
  const state = projectState(cwd, environment);
  const root = projectRoot(cwd);
  const git = gitIn(root, { ...context, stop: new AbortController().signal });
  const mistakes: string[] = [];
  for (const { task_id } of variants) {
    const folder = worktreeOf(state, task_id);
    // Twice: also a locked one. A folder that is gone is still registered.
    const removed = await git(['worktree', 'remove', '--force', '--force', folder]);
    if (removed.code !== 0 && existsSync(folder))
      mistakes.push(`${folder} could not be removed: ${complaintOf(removed)}`);
    const branch = branchOf(task_id);
    if ((await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).code !== 0) continue;
    const deleted = await git(['branch', '-D', branch]);
    if (deleted.code !== 0) mistakes.push(`branch ${branch} could not be deleted: ${complaintOf(deleted)}`);
  }
  return mistakes;
}

const invalid = (message: string) => ({ how: 'invalid', message }) as const;
