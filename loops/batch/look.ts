// Looks at all tasks of a batch before anything is paid; of each only little is kept, for there may be many thousands.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/tools.ts';
import { lookIntoWorktree } from '../run/enter-worktree.ts';
import { checkStages } from '../run/plan.ts';
import type { RunRequest } from '../run/run.ts';
import { openTask } from '../run/task.ts';

export interface Candidate {
  /** As it is handed on: an id, or an absolute path. */
  word: string;
  taskId: string;
  /** The tool of its first stage. */
  tool: Tool;
}

export interface Looked {
  tasks: Candidate[];
  bad: { word: string; message: string }[];
}

export type Looking = Pick<
  RunRequest,
  'cwd' | 'environment' | 'trustWorkspace' | 'briefCommands' | 'redo' | 'keep' | 'clock'
>;

/** As each run will look before it pays, but unclaimed: nothing on disk changes. */
export async function lookAtTasks(words: readonly string[], request: Looking, stop: AbortSignal): Promise<Looked> {
  const seen = new Set<string>();
  const looked: Looked = { tasks: [], bad: [] };
  for (const given of words) {
    if (stop.aborted) break;
    const word = given.includes('/') ? path.resolve(request.cwd, given) : given;
    const one = await look({ ...request, word });
    if (one.how === 'mistaken') {
      looked.bad.push({ word: given, message: one.message });
      continue;
    }
    const root = realpathSync.native(one.root);
    if (seen.has(root)) looked.bad.push({ word: given, message: 'this task is named twice' });
    else looked.tasks.push({ word, taskId: one.taskId, tool: one.tool });
    seen.add(root);
  }
  return looked;
}

type LookedAt = { how: 'read'; root: string; taskId: string; tool: Tool } | { how: 'mistaken'; message: string };

async function look(request: Looking & { word: string }): Promise<LookedAt> {
  const opened = await openTask(request, 'look');
  if (opened.how === 'mistaken') return opened;
  const { task, plans } = opened.open;
  // A tree that is yet to be made says nothing; its run looks before it pays.
  const open = lookIntoWorktree(opened.open);
  const plan = open === null ? null : await checkStages({ ...request, open }, request);
  if (plan?.how === 'mistaken') return plan;
  return { how: 'read', root: task.root, taskId: task.id, tool: plans[0]!.stage.tool };
}
