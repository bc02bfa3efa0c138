// Keeps the state of the tree before a stage, over its attempts and over runs, so that no change of the stage is missed.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { outsideScope } from '../../policies/gate/scope.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { filesOfCallers } from '../../wrappers/processes/open-files.ts';
import type { StageRun } from '../task/stage-run.ts';
import { changesBetween } from '../tree/changes.ts';
import { type Copies, keepCopies } from '../tree/copies.ts';
import { loadSnapshot, rebase, saveSnapshot, type TreeSnapshot, takeSnapshot, widened } from '../tree/snapshot.ts';
import { scopeOf } from '../tree/task-tree.ts';

/** The tree before a stage, and what is different now. */
export interface Baseline {
  before: TreeSnapshot;
  /**
   * After a killed run, the changes include those that others made meanwhile. `redone`: the changes of earlier attempts are
   * unknown, and the user repeats the stage on the tree as it is.
   */
  since: 'stage' | 'killed_run' | 'redone';
  /** Copies of what is out of scope; null if nothing is to be restored. */
  copies: Copies | null;
  /** Returns what is different now, except for the files that the callers of the stage write themselves. */
  look(): Promise<Change[]>;
  /** The files of its callers that have changed: the callers had them open before the stage. */
  ofCallers(): readonly string[];
  /** Called when a call begins: an earlier look says nothing about the changes to come. */
  forget(): void;
  /** The latest look since the last call; later changes come from our own restore. */
  last(): TreeSnapshot | null;
}

/**
 * @param earlierWork `unfinished`: calls for the stage never passed its gate, so its baseline must exist.
 * @returns null for a stage whose changes are not checked: it may not write, and the task has no scope.
 */
export async function openBaseline(
  run: StageRun,
  earlierWork: 'none' | 'unfinished',
): Promise<Baseline | { how: 'invalid'; message: string } | null> {
  const { open, access } = run;
  const { scope, security } = open.manifest;
  const isNeeded = access !== 'read' || scope.allow.length + scope.deny.length + security.forbidden_paths.length > 0;
  if (!isNeeded) return null;
  const { beforeFile, afterFile } = filesOf(run);
  const callers = await filesOfCallers(treeOf(run).root);
  const found = await earlierBaseline(run);
  const isLost = found.how === 'lost' || (found.how === 'none' && earlierWork === 'unfinished');
  if (isLost && !run.redone)
    return { how: 'invalid', message: lostWords(run, found.how === 'lost' ? found.why : NO_BASELINE) };
  const { before: earlier, after } = found.how === 'kept' ? found : { before: null, after: null };
  if (earlier === null) rmSync(filesOf(run).copiesFolder, { recursive: true, force: true });
  const now = await takeSnapshot({ ...treeOf(run), ...(earlier === null ? {} : { before: after ?? earlier }) });
  // Without a snapshot of its end, the attempt was killed before it could be examined. All later changes may be its work.
  const before = earlier === null ? now : after === null ? widened(earlier, now) : rebase(earlier, after, now);
  await saveSnapshot(beforeFile, before);
  rmSync(afterFile, { force: true });
  // It is unknown who made the changes since a killed run, so they are reported but not restored.
  const isSure = earlier === null || after !== null;
  const kept = run.options.outOfScope === 'restored' && isSure ? await keep(run, before) : null;
  if (kept !== null && kept.how !== 'kept') return { how: 'invalid', message: kept.message };
  let last: TreeSnapshot | null = null;
  let ofCallers: string[] = [];
  return {
    before,
    copies: kept?.copies ?? null,
    since: isLost ? 'redone' : isSure ? 'stage' : 'killed_run',
    async look() {
      last = await takeSnapshot({ ...treeOf(run), before });
      const isTheirs = writtenByCallers(callers, now, last);
      const changes = await changesBetween(before, last);
      ofCallers = changes.filter(isTheirs).map((change) => change.path);
      return changes.filter((change) => !isTheirs(change));
    },
    ofCallers: () => ofCallers,
    forget() {
      last = null;
    },
    last: () => last,
  };
}

/** Accepts only the file that was open before the stage, with more content; anything else is the agent's work. */
const writtenByCallers =
  (callers: ReadonlySet<number>, now: TreeSnapshot, last: TreeSnapshot) =>
  ({ path: at, how }: Change): boolean => {
    const ino = last.entries.get(at)?.ino;
    return (
      ['added', 'modified'].includes(how) && ino !== undefined && callers.has(ino) && now.entries.get(at)?.ino === ino
    );
  };

type Earlier =
  | { how: 'none' }
  /** `after`: the tree when the last attempt ended; null after a kill. */
  | { how: 'kept'; before: TreeSnapshot; after: TreeSnapshot | null }
  /** The changes of earlier attempts cannot be known. */
  | { how: 'lost'; why: string };

/** Loads the baseline of the last run that did not finish the stage. */
async function earlierBaseline(run: StageRun): Promise<Earlier> {
  const { beforeFile, afterFile } = filesOf(run);
  const tree = treeOf(run);
  const [saved, after] = [await loadSnapshot(beforeFile), await loadSnapshot(afterFile)];
  if (saved === null)
    return lookAt(beforeFile) === null ? { how: 'none' } : { how: 'lost', why: `${beforeFile} cannot be read` };
  const before = { ...saved, ignored: tree.ignored };
  if (isSameFolder(before.root, tree.root)) return { how: 'kept', before, after };
  return movedBaseline(run, before, after);
}

/** After a copy or move, a task's baseline is valid only if this tree equals that of the last attempt's end. */
async function movedBaseline(run: StageRun, before: TreeSnapshot, after: TreeSnapshot | null): Promise<Earlier> {
  const from = `its baseline is of ${before.root}, and the tree here is ${run.open.tree}`;
  if (after === null) return { how: 'lost', why: `${from}; there is no record of how the last attempt ended there` };
  const now = await takeSnapshot({ ...treeOf(run), before: after });
  const here = (saved: TreeSnapshot): TreeSnapshot => ({ ...saved, root: now.root, git: now.git, rules: now.rules });
  const changed = await changesBetween(here(after), { ...now, ignored: after.ignored });
  // Another clone has its own git settings.
  const different = changed.filter((change) => !change.path.startsWith('.git/')).map((change) => change.path);
  if (different.length === 0) return { how: 'kept', before: here(before), after: here(after) };
  const listed = `${different.slice(0, MAX_NAMED).join(', ')}${different.length > MAX_NAMED ? `, and ${different.length - MAX_NAMED} more` : ''}`;
  return { how: 'lost', why: `${from}, which is not as the last attempt ended with: ${listed}` };
}

const MAX_NAMED = 5;

const NO_BASELINE = 'the record of the tree before its first attempt is missing (state/baseline)';

function lostWords({ open: { task }, stage }: StageRun, why: string): string {
  const again =
    stage.name === 'supervise'
      ? `tollgate supervise ${task.id} --anew starts the supervision again`
      : `--redo ${stage.name} repeats the stage (it is paid again)`;
  return `what earlier attempts of ${stage.name} changed cannot be checked, so it cannot be done. Run the task where it ran before, with its whole state folder; or check the tree yourself: ${again} and takes the tree as it is. Cause: ${why}`;
}

const keep = (run: StageRun, snapshot: TreeSnapshot) =>
  keepCopies({ snapshot, outOfScope: outsideScope(scopeOf(run.open.manifest)), folder: filesOf(run).copiesFolder });

/** Closes the baseline when the stage is over for this run. Only an unfinished stage keeps it, for the next run. */
export async function closeBaseline(run: StageRun, baseline: Baseline | null, how: 'done' | 'open'): Promise<void> {
  if (baseline === null) return;
  const { afterFile } = filesOf(run);
  if (how === 'open') {
    const after = baseline.last() ?? (await takeSnapshot({ ...treeOf(run), before: baseline.before }));
    return saveSnapshot(afterFile, after);
  }
  dropBaseline(run);
}

/** Removes what an earlier run kept: from now on the tree is taken as it is. */
export function dropBaseline(run: StageRun): void {
  const { beforeFile, afterFile, copiesFolder } = filesOf(run);
  rmSync(beforeFile, { force: true });
  rmSync(afterFile, { force: true });
  rmSync(copiesFolder, { recursive: true, force: true });
}

function filesOf({ open, stage }: StageRun) {
  const base = path.join(open.task.state, 'baseline', stage.name);
  return { beforeFile: `${base}.before`, afterFile: `${base}.after`, copiesFolder: `${base}.copies` };
}

function treeOf({ open }: StageRun) {
  const ignored = open.manifest.scope.ignored ? 'looked_at' : 'left_out';
  const { deny, forbidden } = scopeOf(open.manifest);
  // The task's own worktree is inside our state folder.
  const project = open.tree === open.root ? open.root : projectRoot(open.tree);
  const ours = [open.stateFolder, open.task.root, path.join(project, '.tmp')];
  const apart = ours.filter((folder) => !open.tree.startsWith(`${folder}/`));
  return { root: open.tree, apart, ignored, keptOut: { deny, forbidden } } as const;
}
