// Keeps the trees of a writing stage for its diff: before its first attempt, and when its gate looks.

import type { Change } from '../../policies/facts/gate-record.ts';
import { treeRules } from '../task/keep-start.ts';
import type { StageRun } from '../task/stage-run.ts';
import { keepAfter, keepBefore, reopenTrees, treesOf } from '../tree/stage-trees.ts';
import type { Baseline } from './baseline.ts';

/** @param earlierWork `unfinished`: the tree from before the first attempt stays the one that counts. */
export async function keepTreeBefore(
  run: StageRun,
  baseline: Baseline | null,
  earlierWork: 'none' | 'unfinished',
): Promise<void> {
  if (run.access === 'read' || baseline === null || baseline.before.git === null) return;
  const folder = folderOf(run);
  if (earlierWork === 'unfinished') return reopenTrees(folder);
  await keepBefore(folder, baseline.before.head, await rulesOf(run));
}

/** Called before anything is put back, so that the diff shows what the stage did. */
export async function keepTreeAfter(run: StageRun, changes: readonly Change[] | null): Promise<void> {
  if (run.access === 'read' || changes === null) return;
  await keepAfter(folderOf(run), changes.length > 0, await rulesOf(run));
}

const folderOf = ({ open, stage }: StageRun) => treesOf(open.task.state, stage.name);

const rulesOf = ({ open, context }: StageRun) => treeRules(open, context, open.tree);
