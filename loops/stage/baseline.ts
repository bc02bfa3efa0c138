// What the tree was before a stage: kept over its attempts and over runs, so that nothing that it changed goes unseen.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { outsideScope } from '../../policies/gate/scope.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { filesOfCallers } from '../../wrappers/processes/open-files.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { scopeOf } from '../paths/scope-of.ts';
import type { StageRun } from '../task/stage-run.ts';
import { changesBetween } from '../tree/changes.ts';
import { type Copies, keepCopies } from '../tree/copies.ts';
import { rebase, widened } from '../tree/rebase.ts';
import { loadSnapshot, saveSnapshot } from '../tree/saved-snapshot.ts';
import { type TreeSnapshot, takeSnapshot } from '../tree/snapshot.ts';

/** The tree before a stage, and what is different now. */
export interface Baseline {
  before: TreeSnapshot;
  /** After a run that was killed, what others changed in the meantime is among the changes. */
  since: 'stage' | 'killed_run';
  /** Of what is out of scope; null where nothing is to be put back. */
  copies: Copies | null;
  /** What is different now, without what its callers write to themselves. */
  look(): Promise<Change[]>;
  /** The files of its callers that have changed: they had them open before the stage. */
  ofCallers(): readonly string[];
  /** A call begins: what was looked at before says nothing about what comes. */
  forget(): void;
  /** What was looked at since the last call: what is put back after it was done by us. */
  last(): TreeSnapshot | null;
}

/** null for a stage whose changes nobody asks about: it may not write, and the task has no scope. */
export async function openBaseline(run: StageRun): Promise<Baseline | { how: 'invalid'; message: string } | null> {
  const { open, access } = run;
  const { scope, security } = open.manifest;
  const isAsked = access !== 'read' || scope.allow.length + scope.deny.length + security.forbidden_paths.length > 0;
  if (!isAsked) return null;
  const { beforeFile, afterFile } = filesOf(run);
  const callers = await callersOf(treeOf(run).root);
  const earlier = await earlierBaseline(run);
  const after = earlier === null ? null : await loadSnapshot(afterFile);
  const now = await takeSnapshot({ ...treeOf(run), ...(earlier === null ? {} : { before: after ?? earlier }) });
  // Without the end of the attempt it did not live to be looked at: all that changed since may be its work.
  const before = earlier === null ? now : after === null ? widened(earlier, now) : rebase(earlier, after, now);
  await saveSnapshot(beforeFile, before);
  rmSync(afterFile, { force: true });
  // Of what changed since a run that was killed nobody knows whose it is: it is reported, and not put back.
  const isSure = earlier === null || after !== null;
  const kept = run.options.outOfScope === 'restored' && isSure ? await keep(run, before) : null;
  if (kept !== null && kept.how !== 'kept') return { how: 'invalid', message: kept.message };
  let last: TreeSnapshot | null = null;
  let ofCallers: string[] = [];
  return {
    before,
    copies: kept?.copies ?? null,
    since: isSure ? 'stage' : 'killed_run',
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

/** Stages that begin together share one look: who called us goes on to write what he had open a moment ago. */
const seen = new Map<string, { atMs: number; files: Promise<Set<number>> }>();
const MOMENT_MS = 500;

function callersOf(root: string): Promise<Set<number>> {
  const known = seen.get(root);
  if (known !== undefined && nowMs() - known.atMs < MOMENT_MS) return known.files;
  const files = filesOfCallers(root);
  seen.clear();
  seen.set(root, { atMs: nowMs(), files });
  return files;
}

/** The very file that was open before the stage, with more in it. One that took its place, or has another mode, is the agent's work. */
const writtenByCallers =
  (callers: ReadonlySet<number>, now: TreeSnapshot, last: TreeSnapshot) =>
  ({ path: at, how }: Change): boolean => {
    const ino = last.entries.get(at)?.ino;
    return (
      ['added', 'modified'].includes(how) && ino !== undefined && callers.has(ino) && now.entries.get(at)?.ino === ino
    );
  };

/** Of the last run that did not get the stage done; null if it looked at another tree, or at other files of it. */
async function earlierBaseline(run: StageRun): Promise<TreeSnapshot | null> {
  const { beforeFile, copiesFolder } = filesOf(run);
  const { root, ignored } = treeOf(run);
  const saved = await loadSnapshot(beforeFile);
  if (saved !== null && saved.root === root && saved.ignored === ignored) return saved;
  rmSync(copiesFolder, { recursive: true, force: true });
  return null;
}

const keep = (run: StageRun, snapshot: TreeSnapshot) =>
  keepCopies({ snapshot, outOfScope: outsideScope(scopeOf(run.open.manifest)), folder: filesOf(run).copiesFolder });

/**
 * The stage is over for this run. A done one needs its baseline no more, once that fact is on disk; for another it waits for
 * the next run.
 */
export async function closeBaseline(run: StageRun, baseline: Baseline | null, how: 'done' | 'open'): Promise<void> {
  if (baseline === null) return;
  const { afterFile } = filesOf(run);
  if (how === 'open') {
    const after = baseline.last() ?? (await takeSnapshot({ ...treeOf(run), before: baseline.before }));
    return saveSnapshot(afterFile, after);
  }
  dropBaseline(run);
}

/** Whatever an earlier run kept: from now on the tree is taken as it is. */
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
  // A worktree of the task's own lies in the folder of our state.
  const project = open.tree === open.root ? open.root : projectRoot(open.tree);
  const ours = [open.stateFolder, open.task.root, path.join(project, '.tmp')];
  const apart = ours.filter((folder) => !open.tree.startsWith(`${folder}/`));
  return { root: open.tree, apart, ignored, keptOut: { deny, forbidden } } as const;
}
