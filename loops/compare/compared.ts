// Collects what the variants of a comparison have done so far, from their tasks and worktrees; changes nothing.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { type NextAction, toType } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type ComparedVariant, type ComparisonReport, sizeOfDiff } from '../../policies/report/comparison.ts';
import { firstNames } from '../../policies/text/display.ts';
import { tried } from '../../policies/text/tried.ts';
import { readHeadIfFit } from '../../state/disk/regular-file.ts';
import { projectRoot, projectState } from '../../state/task-folder.ts';
import { findRecord, usageOf } from '../../state/usage.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { launcherIn } from '../launcher.ts';
import { readRow } from '../report/task-row.ts';
import { branchOf, lookIntoWorktree } from '../run/worktree.ts';
import { readGateRecord } from '../task/gate-actions.ts';
import { treeRules } from '../task/keep-start.ts';
import { type OpenTask, openTask } from '../task/task.ts';
import { readChanges } from '../tree/read-changes.ts';
import { askGit, complaintOf, type GitRan, gitWith } from '../tree/run-git.ts';
import { type Comparison, folderOf, resumeLine } from './comparison.ts';

/** Where a comparison is read. */
interface Reading {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  stop: AbortSignal;
}

/** `diffs`: the text of each diff by the number of its variant, without secrets. */
interface CollectedComparison {
  report: ComparisonReport;
  diffs: Map<number, string>;
}

export async function collectComparison(comparison: Comparison, context: Reading): Promise<CollectedComparison> {
  const { comparison_id: id, variants: planned, at, task_id, base, budget, picked, removed } = comparison;
  const state = projectState(context.cwd, context.environment);
  const folder = folderOf(state, id);
  const self = (await identify(process.pid))!;
  const diffs = new Map<number, string>();
  const variants: ComparedVariant[] = [];
  let goal = task_id ?? id;
  for (const variant of planned) {
    const opened = await openTask({ ...context, word: variant.task_id, trustWorkspace: true }, 'look');
    if (opened.how === 'invalid') {
      variants.push({ ...NOTHING, ...variant, state: 'never_run', diff_problem: opened.message });
      continue;
    }
    const { open } = opened;
    goal = open.hide(open.manifest.goal);
    const changed = removed === null ? await changesOf(open, comparison, context) : { ...NO_CHANGES, problem: REMOVED };
    if (changed.diff !== null) diffs.set(variant.n, open.hide(changed.diff));
    const { answerFile, ...standing } = await standingOf(open, self, context.environment);
    variants.push({
      ...NOTHING,
      ...variant,
      ...standing,
      ...paidBy(open),
      lacks: [...standing.lacks, ...changed.lacks],
      diff: changed.diff === null ? null : sizeOfDiff(changed.diff),
      diff_problem: changed.problem,
      commit: changed.commit,
      files: {
        answer: answerFile,
        diff: changed.diff === null || changed.diff === '' ? null : path.join(folder, `${variant.n}.diff`),
        worktree: changed.problem === null ? (lookIntoWorktree(open)?.tree ?? null) : null,
      },
    });
  }
  const isRunning = variants.some((variant) => variant.state === 'running');
  const isDone = variants.every((variant) => variant.state === 'done');
  const report: ComparisonReport = {
    schema: 1,
    comparison_id: id,
    state: isRunning ? 'running' : isDone ? 'done' : 'failed',
    exit_code: isDone ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    ...{ at, task_id, goal, base, variants, budget, picked, removed },
    notes: [],
    next_actions: [],
    files: { folder, report: path.join(folder, 'report.json'), page: path.join(folder, 'report.md') },
  };
  return { report: { ...report, next_actions: nextOf(report, comparison, launcherIn(context.environment)) }, diffs };
}

const REMOVED = 'its worktree was removed';

const NOTHING: Omit<ComparedVariant, 'n' | 'name' | 'tool' | 'model' | 'account' | 'task_id' | 'state'> = {
  class: null,
  reason: null,
  sentence: null,
  evidence: null,
  gate: null,
  verdict: null,
  lacks: [],
  duration_ms: null,
  calls: 0,
  tokens: null,
  usd: null,
  unpriced_calls: 0,
  diff: null,
  diff_problem: null,
  answer: null,
  commit: null,
  files: { answer: null, diff: null, worktree: null },
};

/** The state of its task, as every report shows it, with the answer of its last stage that has one. */
async function standingOf(open: OpenTask, self: ProcessIdentity, environment: NodeJS.ProcessEnv) {
  const reading = { isShown: () => true, stages: 'read' } as const;
  const read = await readRow(open.task, open.journal.read, self, environment, reading);
  if (read.how === 'unreadable' || read.row === null)
    return {
      state: 'failed' as const,
      sentence: read.how === 'unreadable' ? read.message : null,
      lacks: [],
      answerFile: null,
    };
  const { state, class: errorClass, reason, sentence, evidence, lacks, stages } = read.row;
  const answerFile = stages.findLast(({ answer }) => answer !== null)?.answer ?? null;
  // An answer is kept as the CLI gave it, also with secrets.
  const text = answerFile === null ? null : readHeadIfFit(answerFile, MOST_OF_ANSWER);
  return {
    ...{ state, class: errorClass, reason, sentence, evidence, lacks },
    gate: stages.findLast(({ gate }) => gate !== null)?.gate ?? null,
    verdict: stages.findLast(({ verdict }) => verdict !== null)?.verdict ?? null,
    answer: text === null ? null : open.hide(text),
    answerFile,
  };
}

const MOST_OF_ANSWER = 100_000;

function paidBy({ task, journal, project }: OpenTask) {
  const { ledger } = journal.read();
  const { all } = usageOf(task, ledger, project.prices);
  const granted = [...ledger.calls.values()].filter((call) => call.granted);
  const durations = granted.flatMap((call) => findRecord(task, call)?.duration_ms ?? []);
  return {
    calls: granted.length,
    tokens: all.total_tokens,
    usd: all.usd,
    unpriced_calls: all.unpriced_calls,
    duration_ms: durations.length === 0 ? null : durations.reduce((sum, ms) => sum + ms, 0),
  };
}

const LOOK_MS = 60_000;

/** The worktree compared with the base, whether or not its changes were committed. */
async function changesOf(open: OpenTask, { base, writes }: Comparison, context: Reading): Promise<VariantChanges> {
  const there = lookIntoWorktree(open);
  if (there === null) return { ...NO_CHANGES, problem: REMOVED };
  const rules = await treeRules(there, context, there.tree);
  const read = await readChanges({ ...rules, task: open.task.state }, { base });
  if (read.how === 'invalid') return { ...NO_CHANGES, problem: read.message };
  const commit = await commitOf(open, base, context.environment);
  const omitted = writes ? await uncommittedOf(there, { base, commit }, context) : [];
  return { diff: read.changes.text, problem: null, commit, lacks: lacksOf(omitted) };
}

function lacksOf(omitted: string[] | { message: string }): string[] {
  if (!Array.isArray(omitted))
    return [`it is not known whether a commit holds all that it made here: ${omitted.message}`];
  if (omitted.length === 0) return [];
  return [`no commit can hold what it made here: ${firstNames(omitted, MOST_NAMED)}`];
}

interface VariantChanges {
  diff: string | null;
  problem: string | null;
  commit: string | null;
  lacks: string[];
}

const NO_CHANGES: VariantChanges = { diff: null, problem: null, commit: null, lacks: [] };
export const MOST_NAMED = 5;

/** @returns null if its branch is still at the base. */
export async function commitOf(
  { root, task }: OpenTask,
  base: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  const argv = ['rev-parse', '--verify', '--quiet', `refs/heads/${branchOf(task.id)}^{commit}`];
  const ran = await askGit(argv, { cwd: projectRoot(root), timeoutMs: LOOK_MS, environment });
  const commit = ran.stdout.trim();
  return ran.code !== 0 || commit === base ? null : commit;
}

/**
 * @param commit null: it made none.
 * @returns what its gates saw changed, and no commit of it has, such as a nested repository; or why git cannot tell.
 */
export async function uncommittedOf(
  { task, plans, tree }: OpenTask,
  { base, commit }: { base: string; commit: string | null },
  { environment, stop }: Pick<Reading, 'environment' | 'stop'>,
): Promise<string[] | { message: string }> {
  const changed = plans.flatMap(({ stage }) => readGateRecord(task, stage.name)?.changes ?? []);
  if (changed.length === 0) return [];
  const git = gitWith({ cwd: tree, timeoutMs: LOOK_MS, environment, halt: stop });
  const failed: GitRan[] = [];
  const namesOf = async (args: readonly string[]) => {
    const ran = await git(args);
    if (ran.code !== 0) failed.push(ran);
    return ran.stdout.split('\0').slice(0, -1);
  };
  const of = commit ?? base;
  const committed = new Set(await namesOf([...DIFF, '--name-only', '-z', base, of]));
  const omitted = [...new Set(changed.map(({ path: name }) => name))].filter((name) => !committed.has(name));
  // Without a commit, the diff of the variant has the rest.
  const inDiff = commit === null ? [...DIFF, '--name-only', '-z', base] : null;
  const others = ['ls-files', '--others', '--exclude-standard', '-z'];
  const kept = new Set(inDiff === null ? [] : [...(await namesOf(inDiff)), ...(await namesOf(others))]);
  const lacking = omitted.filter((name) => !kept.has(name));
  if (lacking.length === 0) return [];
  const tracked = new Set(await namesOf(['ls-tree', '-r', '-z', '--name-only', '--full-tree', of]));
  const differing = new Set(await namesOf([...DIFF, '--name-only', '-z', of]));
  if (failed[0] !== undefined) return { message: `${complaintOf(failed[0])} (git in ${tree})` };
  // A later stage may have removed a file of an earlier one, or changed it back.
  return lacking.filter((name) =>
    tracked.has(name) ? differing.has(name) : tried(() => lstatSync(path.join(tree, name))) !== null,
  );
}

/** Whatever the user's settings are. */
export const DIFF = [
  ...['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-relative', '-U3'],
  ...['--diff-algorithm=myers', '--submodule=short', '--ignore-submodules=dirty', '--src-prefix=a/', '--dst-prefix=b/'],
];

function nextOf(report: ComparisonReport, comparison: Comparison, launcher: string): NextAction[] {
  const { comparison_id: id, variants, picked, removed, state } = report;
  if (removed !== null) return [];
  const open = variants.filter((variant) => variant.state === 'interrupted' || variant.state === 'never_run');
  const [failed] = variants.filter((variant) => variant.state === 'failed' || variant.state === 'refused');
  const pickable =
    picked === null ? variants.filter((variant) => variant.state === 'done' && variant.commit !== null) : [];
  return [
    ...(open.length > 0 && state !== 'running'
      ? [toType('run what is not done yet', resumeLine(comparison, launcher), 'pays')]
      : []),
    ...pickable.map(({ n, name }) =>
      toType(`apply the changes of ${name}`, `${launcher} compare --pick ${n} --of ${id}`),
    ),
    ...(failed === undefined ? [] : [toType(`see why ${failed.name} failed`, `${launcher} explain ${failed.task_id}`)]),
    ...(state === 'running' ? [] : [toType('remove the worktrees and branches', `${launcher} compare --remove ${id}`)]),
  ];
}
