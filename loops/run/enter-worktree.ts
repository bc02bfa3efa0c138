// Runs the stages of a task in the task's own worktree, if its manifest says so.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RunSettings } from '../task/run-context.ts';
import type { OpenTask } from '../task/task.ts';
import { workingFolderMistake } from '../tree/task-tree.ts';
import { closeWorktree, openWorktree, worktreeOf } from './worktree.ts';

type Entered =
  /** `notes`: what the final report says about the worktree. */
  | { how: 'entered'; open: OpenTask; notes(): Promise<string[]> }
  | { how: 'invalid'; message: string }
  | { how: 'stopped' };

export async function enterWorktree(
  open: OpenTask,
  { options: { trustWorkspace }, context: { environment, stop, say, clock } }: RunSettings,
): Promise<Entered> {
  const { task, manifest, root, stateFolder } = open;
  if (!manifest.worktree) return { how: 'entered', open, notes: async () => [] };
  const trust = trustWorkspace || manifest.security.trust_workspace ? 'trusted' : 'untrusted';
  const common = { root, environment, trust } as const;
  const opened = await openWorktree({ ...common, taskId: task.id, stateFolder, stop, say, clock });
  if (opened.how !== 'opened') return opened;
  const { folder, top, branch } = opened;
  const wrong = workingFolderMistake({ cwd: manifest.cwd, manifest: task.manifest!, root: folder, trust });
  if (wrong !== null) return { how: 'invalid', message: wrong };
  const notes = async () => {
    const lines = await closeWorktree(opened, common);
    return [`its changes are in ${top} on branch ${branch}; to take them: ${lines.join('; ')}`];
  };
  return { how: 'entered', open: within(open, folder), notes };
}

/** For read-only commands. @returns the task as it is in its worktree, or null if the worktree does not exist yet. */
export function lookIntoWorktree(open: OpenTask): OpenTask | null {
  if (!open.manifest.worktree) return open;
  const folder = worktreeOf(open.stateFolder, open.task.id);
  return existsSync(path.join(folder, '.git')) ? within(open, folder) : null;
}

const within = (open: OpenTask, folder: string): OpenTask => ({
  ...open,
  tree: folder,
  cwd: path.resolve(folder, open.manifest.cwd ?? '.'),
});
