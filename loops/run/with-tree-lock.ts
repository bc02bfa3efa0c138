// Runs a stage's work while the stage has the lock on the tree: the call, the check of its changes, and its gate.

import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../state/task-folder.ts';
import { lockTree } from '../limits/tree-lock.ts';
import type { RunSettings } from '../task/run-context.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

/** The lock is released after the work, even if the work throws. */
export async function withTreeLock<T>(
  { open, stage, access, options, context }: StageRun,
  work: () => Promise<T>,
): Promise<{ how: 'done'; result: T } | { how: 'stopped' }> {
  const mode = access === 'read' ? 'read' : 'write';
  const turn = await lockTaskTree({ options, context }, open, { mode, stage: stage.name });
  if (turn.how === 'stopped') return turn;
  try {
    return { how: 'done', result: await work() };
  } finally {
    turn.release();
  }
}

/** Waits for the turn of a task on its tree. The caller releases it. */
export const lockTaskTree = (
  { options, context: { environment, stop, say, clock } }: RunSettings,
  open: OpenTask,
  work: { mode: 'read' | 'write'; stage: string },
) =>
  lockTree({
    ...work,
    stateFolder: queueFolderOf(open, environment),
    tree: open.tree,
    taskId: open.task.id,
    taskFolder: open.task.root,
    foreign: options.whenTaken === 'force' ? 'pass' : 'wait',
    stop,
    say,
    clock,
  });

/** The folder of this tree's queue: in the state of the tree's own project, if any, where its tasks wait. */
function queueFolderOf({ root, tree, stateFolder }: OpenTask, environment: NodeJS.ProcessEnv): string {
  // The task's own worktree is inside our state folder.
  if (environment.TOLLGATE_STATE || tree.startsWith(`${stateFolder}/`)) return stateFolder;
  const own = path.join(tree === root ? root : projectRoot(tree), '.tmp');
  try {
    accessSync(own, constants.W_OK);
    return own;
  } catch {
    return stateFolder;
  }
}
