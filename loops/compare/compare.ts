// Compares tools, models or accounts on one prompt or task: a worktree and a task for each, run at once, with one report.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { stopExit } from '../../policies/facts/exit-codes.ts';
import { CALLS_OF_A_PROMPT, readVariants, type Variant } from '../../policies/manifest/variants.ts';
import {
  type ComparisonBudget,
  type ComparisonReport,
  renderComparison,
  WHOLE,
} from '../../policies/report/comparison.ts';
import { accountMistake, readAccounts } from '../../state/accounts.ts';
import { writeAtomic, writeJson } from '../../state/atomic-file.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectRoot, projectState, strayState } from '../../state/task-folder.ts';
import { UNKNOWN_CALL } from '../attempt/restored-draft.ts';
import { runBatch } from '../batch/batch.ts';
import type { BatchRequest } from '../batch/request.ts';
import { startableCall } from '../call/check.ts';
import { findAdapter } from '../call/find-adapter.ts';
import { launcherIn } from '../launcher.ts';
import { hasChanges, openWorktree } from '../run/worktree.ts';
import type { RunSettings } from '../task/run-context.ts';
import { readTask } from '../task/task.ts';
import { askGit, repositoryMistake } from '../tree/run-git.ts';
import { collectComparison } from './compared.ts';
import {
  type Compared,
  type Comparison,
  folderOf,
  keepComparison,
  newComparisonId,
  resumeLine,
  shareOf,
  variantManifest,
  writeVariant,
} from './comparison.ts';
import { removeTraces } from './pick.ts';

interface CompareRequest extends RunSettings {
  /** The variants, each as `TOOL[:MODEL][@ACCOUNT]`. */
  with: readonly string[];
  compared:
    | { what: 'prompt'; text: string; access: 'read' | 'write'; acceptance: readonly string[] }
    | { what: 'task'; word: string; stages: readonly string[] };
  /** null: 3 calls for each variant, or what the task allows itself; no limit of tokens and money. */
  budget: { calls: number | null; tokens: number | null; usd: number | null };
  /** What happens if the tree has uncommitted changes, which no variant would see. */
  dirtyTree: 'refuse' | 'allow';
  /** null: all at once. */
  concurrency: number | null;
  tell: BatchRequest['tell'];
}

/** `diffs`: the text of each diff by the number of its variant, without secrets. */
type ComparisonRan =
  | { how: 'ran'; report: ComparisonReport; diffs: ReadonlyMap<number, string> }
  | { how: 'invalid'; message: string };

/** Checks everything before it writes, writes before it pays. Bad input leaves nothing on disk. */
export async function compare(request: CompareRequest): Promise<ComparisonRan> {
  const { cwd, environment, clock, say } = request.context;
  const variants = readVariants(request.with);
  if (typeof variants === 'string') return invalid(variants);
  const state = projectState(cwd, environment);
  const stray = strayState(state, environment);
  if (stray !== null) return invalid(stray);
  const base = await baseOf(request);
  if (base.how === 'invalid') return base;
  const compared = await readCompared(request);
  if ('message' in compared) return invalid(compared.message);
  const mistake = await variantsMistake(variants, request);
  if (mistake !== null) return invalid(mistake);
  const budget = budgetOf(request, compared, variants.length);
  const share = shareOf(budget, variants.length);
  if (share === null)
    return invalid(`the budget of ${budget.calls} calls is less than one call for each of ${variants.length} variants`);
  const id = newComparisonId(clock());
  const comparison: Comparison = {
    schema: 1,
    comparison_id: id,
    at: clock().toISOString(),
    task_id: compared.what === 'task' ? compared.read.task.id : null,
    base: base.commit,
    writes:
      compared.what === 'prompt'
        ? compared.access === 'write'
        : compared.read.plans.some(({ access }) => access !== 'read'),
    variants: variants.map((variant) => ({ ...variant, task_id: `${id}-${variant.n}` })),
    budget,
    trusts: request.options.trustWorkspace,
    picked: null,
    removed: null,
  };
  const unmade = await make(comparison, compared, share, request);
  if (unmade !== null) {
    await removeTraces(comparison, request.context);
    return invalid(unmade);
  }
  say(
    `comparison ${id}: ${variants.length} variants; if it is stopped: ${resumeLine(comparison, launcherIn(environment))}`,
  );
  const ran = await resumeComparison(comparison, request);
  // The batch checks all tasks before it pays for one.
  if (ran.how === 'invalid') await removeTraces(comparison, request.context);
  return ran;
}

/** Runs what is not done yet, and writes the report. */
export async function resumeComparison(
  comparison: Comparison,
  request: RunSettings & { concurrency: number | null; tell: BatchRequest['tell'] },
): Promise<ComparisonRan> {
  const { options, context, tell } = request;
  const { variants, removed } = comparison;
  if (removed !== null) return invalid(`its worktrees were removed at ${removed}; compare again`);
  const state = projectState(context.cwd, context.environment);
  const unmade = variants.find(({ task_id }) => !existsSync(path.join(state, 'task', task_id, 'manifest.json')));
  if (unmade !== undefined)
    return invalid(
      `variant ${unmade.n} has no task, since the comparison was stopped before its first call; nothing was paid: ${launcherIn(context.environment)} compare --remove ${comparison.comparison_id}, and compare again`,
    );
  const ran = await runBatch({
    options: { ...options, commit: comparison.writes ? 'made' : 'none' },
    context,
    words: variants.map(({ task_id }) => task_id),
    concurrency: request.concurrency ?? variants.length,
    flags: [],
    badTasks: 'refuse',
    onFailure: 'go_on',
    maxMinutes: null,
    exitCode: 'plain',
    tell,
  });
  if (ran.how === 'invalid') return invalid(ran.message);
  const exitCode = context.stop.aborted ? stopExit(context.stop) : ran.report.exit_code;
  return { how: 'ran', ...(await writeComparison(comparison, context, exitCode, ran.report.notes)) };
}

/** Writes `report.json`, `report.md` and the diffs. What cannot be written becomes a note. */
async function writeComparison(
  comparison: Comparison,
  context: RunSettings['context'],
  exitCode: number,
  notes: readonly string[],
): Promise<{ report: ComparisonReport; diffs: ReadonlyMap<number, string> }> {
  // A signal that ended the calls must not end the git that reads what they changed.
  const collected = await collectComparison(comparison, { ...context, stop: new AbortController().signal });
  const { diffs } = collected;
  const state = exitCode > 128 ? 'interrupted' : collected.report.state;
  const report = { ...collected.report, state, exit_code: exitCode, notes: [...collected.report.notes, ...notes] };
  try {
    makeFolders(report.files.folder);
    for (const { n, files } of report.variants) if (files.diff !== null) await writeAtomic(files.diff, diffs.get(n)!);
    await writeJson(report.files.report, report);
    await writeAtomic(report.files.page, renderComparison(report, WHOLE, diffs));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    report.notes.push(`the report could not be written (${error.message}); tollgate compare --show makes it again`);
  }
  return { report, diffs };
}

async function baseOf({
  context: { cwd, environment },
  options,
  dirtyTree,
}: CompareRequest): Promise<{ how: 'found'; commit: string } | { how: 'invalid'; message: string }> {
  const root = projectRoot(cwd);
  const ran = await askGit(['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: root, timeoutMs: LOOK_MS, environment });
  if (ran.code === 127) return invalid('compare needs git, since each variant works in its own worktree');
  const inside = await askGit(['rev-parse', '--git-dir'], { cwd: root, timeoutMs: LOOK_MS, environment });
  if (inside.code !== 0)
    return invalid(
      repositoryMistake(root, inside, 'each variant works in its own worktree: run git init and commit there'),
    );
  if (ran.code !== 0)
    return invalid(`the repository of ${root} has no commit yet, so no worktree can be made; commit first`);
  const trust = options.trustWorkspace ? 'trusted' : 'untrusted';
  if (dirtyTree === 'refuse' && (await hasChanges(root, { environment, trust })))
    return invalid(
      `${root} has uncommitted changes, and every variant begins from the last commit without them; commit or stash them, or use --allow-dirty to compare without them`,
    );
  return { how: 'found', commit: ran.stdout.trim() };
}

const LOOK_MS = 60_000;

async function readCompared({ compared, context, options }: CompareRequest): Promise<Compared | { message: string }> {
  if (compared.what === 'prompt') return compared.text.trim() === '' ? { message: 'the prompt is empty' } : compared;
  const { cwd, environment } = context;
  const { trustWorkspace } = options;
  const read = await readTask({ word: compared.word, cwd, environment, trustWorkspace });
  if (read.how === 'invalid') return read;
  if (read.root !== projectRoot(cwd))
    return { message: `${read.task.id} is a task of the project ${read.root}; start the comparison there` };
  if (read.manifest.supervise !== undefined)
    return { message: `${read.task.id} is supervised; compare takes a prompt or a task with stages` };
  const names = read.plans.map(({ stage }) => stage.name);
  const unknown = compared.stages.find((stage) => !names.includes(stage));
  if (unknown !== undefined)
    return { message: `${read.task.id} has no stage "${unknown}"; its stages are ${names.join(', ')}` };
  return { what: 'task', read, stages: compared.stages };
}

/** Whether each variant can be called here. Nothing is written or paid. */
async function variantsMistake(
  variants: readonly Variant[],
  { context, options }: CompareRequest,
): Promise<string | null> {
  const { cwd, environment } = context;
  const { trustWorkspace } = options;
  const accounts = await readAccounts(environment, cwd);
  if (typeof accounts === 'string') return accounts;
  for (const { n, name, tool, model, account } of variants) {
    const wrong = (why: string) => `variant ${n} (${name}) cannot be called: ${why}`;
    const wayToTrust = 'add --trust-workspace';
    const adapter = await findAdapter(tool, { cwd, environment, isTrusted: trustWorkspace, wayToTrust });
    if (typeof adapter === 'string') return wrong(adapter);
    if (account !== null) {
      const mistake = accountMistake(account, tool, accounts, environment);
      if (mistake !== null) return wrong(mistake);
      continue;
    }
    const ready = startableCall(adapter, { ...UNKNOWN_CALL, cwd, environment, trustWorkspace, model });
    if (ready.how === 'refused') return wrong(ready.refusal.message);
  }
  return null;
}

/** What is not given is what the task allows itself, for each variant. */
function budgetOf(
  { budget: { calls, tokens, usd } }: CompareRequest,
  compared: Compared,
  variants: number,
): ComparisonBudget {
  const own: { paid_call_budget: number; max_tokens?: number | undefined; max_usd?: number | undefined } =
    compared.what === 'prompt' ? { paid_call_budget: CALLS_OF_A_PROMPT } : compared.read.manifest.budgets;
  const all = (limit: number | undefined) => (limit === undefined ? null : limit * variants);
  return {
    calls: calls ?? own.paid_call_budget * variants,
    tokens: tokens ?? all(own.max_tokens),
    usd: usd ?? all(own.max_usd),
  };
}

/** Writes the tasks, and makes the worktrees. @returns what prevented it. */
async function make(
  comparison: Comparison,
  compared: Compared,
  share: ComparisonBudget,
  { context, options }: CompareRequest,
): Promise<string | null> {
  const { cwd, environment, stop, say, clock } = context;
  const state = projectState(cwd, environment);
  const root = projectRoot(cwd);
  try {
    makeFolders(folderOf(state, comparison.comparison_id));
    await keepComparison(state, comparison);
    for (const variant of comparison.variants) {
      const { task_id: taskId } = variant;
      writeVariant(path.join(state, 'task', taskId), variantManifest(compared, variant, taskId, share), compared);
      const trust = options.trustWorkspace ? 'trusted' : 'untrusted';
      // What is said of one worktree holds for all.
      const sayOnce = variant.n === 1 ? say : () => {};
      const at = { root, taskId, stateFolder: state, environment, trust, stop, say: sayOnce, clock } as const;
      const opened = await openWorktree(at);
      if (opened.how === 'stopped') return 'it was stopped before its first call; nothing was paid';
      if (opened.how === 'invalid') return opened.message;
      const head = await askGit(['rev-parse', 'HEAD'], { cwd: opened.top, timeoutMs: LOOK_MS, environment });
      if (head.stdout.trim() !== comparison.base)
        return `HEAD of ${root} moved while the worktrees were made, so the variants would begin from different commits; compare again`;
    }
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `the tasks of the comparison could not be written (${error.message}); nothing was paid`;
  }
}

const invalid = (message: string) => ({ how: 'invalid', message }) as const;
