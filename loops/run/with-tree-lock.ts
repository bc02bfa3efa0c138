// A stage's work while it is its turn on the tree: the call, the look at what it changed, and its gate.

import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../state/task-folder.ts';
import { lockTree } from '../queue/tree-lock.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

/** The turn ends with the work, however that ends. */
export async function withTreeLock<T>(
  { open, stage, access, options, context }: StageRun,
  work: () => Promise<T>,
): Promise<{ how: 'worked'; result: T } | { how: 'stopped' }> {
  const { environment, stop, say, clock } = context;
  const turn = await lockTree({
    stateFolder: queueFolderOf(open, environment),
    tree: open.tree,
    mode: access === 'read' ? 'read' : 'write',
    taskId: open.task.id,
    taskFolder: open.task.root,
    stage: stage.name,
    foreign: options.whenTaken === 'force' ? 'pass' : 'wait',
    stop,
    say,
    clock,
  });
  if (turn.how === 'stopped') return turn;
  try {
    return { how: 'worked', result: await work() };
  } finally {
    turn.release();
  }
}

/** Where those who want this tree stand in line: in the state of the tree's own project, where its own tasks do, if it has one. */
function queueFolderOf({ root, tree, stateFolder }: OpenTask, environment: NodeJS.ProcessEnv): string {
  // A worktree of the task's own lies in the folder of our state.
  if (environment.TOLLGATE_STATE || tree.startsWith(`${stateFolder}/`)) return stateFolder;
  const own = path.join(tree === root ? root : projectRoot(tree), '.tmp');
  try {
    accessSync(own, constants.W_OK);
    return own;
  } catch {
    return stateFolder;
  }
}
