// Finds the worktree of an archived task. Only the user removes it, because it may contain work that was not merged yet.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type NextAction, toType } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/display.ts';
import { projectState, type TaskFolder } from '../../state/task-folder.ts';
import { branchOf, worktreeOf } from '../run/worktree.ts';
import { rootOf } from '../task/task.ts';

export interface LeftWorktree {
  folder: string;
  branch: string;
  /** git refuses each command as long as work could be lost. */
  next_actions: NextAction[];
}

/** Returns the worktree of an archived task and the commands that remove it; null if the task has none. */
export function leftWorktree(task: TaskFolder, cwd: string, environment: NodeJS.ProcessEnv): LeftWorktree | null {
  const root = rootOf(task, cwd, environment);
  const folder = worktreeOf(projectState(root, environment), task.id);
  if (!existsSync(path.join(folder, '.git'))) return null;
  const branch = branchOf(task.id);
  const git = `git -C ${shellWord(root)}`;
  return {
    folder,
    branch,
    next_actions: [
      toType('remove the worktree', `${git} worktree remove ${shellWord(folder)}`),
      toType('delete its branch', `${git} branch -d ${branch}`),
    ],
  };
}
