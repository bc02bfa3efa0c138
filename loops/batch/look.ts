// Looks at all tasks of a batch before anything is paid; of each only little is kept, for there may be many thousands.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { type ChangedPrompt, changedSentence } from '../../policies/retry/changed-prompt.ts';
import { lookIntoWorktree } from '../run/enter-worktree.ts';
import { closedFor } from '../tamper-guard/entrance.ts';
import { checkStages, type Planned } from '../task/plan.ts';
import type { RunRequest } from '../task/run-request.ts';
import { openTask } from '../task/task.ts';

export interface BatchTask {
  /** As it is handed on: an id, or an absolute path. */
  word: string;
  taskId: string;
  /** The tool of its first stage. */
  tool: Tool;
}

export interface Looked {
  tasks: BatchTask[];
  bad: Bad[];
}

/** `changed`: stages whose prompt is another than the one that was answered. */
export interface Bad {
  word: string;
  message: string;
  changed: readonly ChangedPrompt[];
}

export type LookingAtTasks = Pick<
  RunRequest,
  'cwd' | 'environment' | 'trustWorkspace' | 'briefCommands' | 'redo' | 'keep' | 'changed' | 'otherChanges' | 'clock'
>;

/** As each run will look before it pays, but unclaimed: nothing on disk changes. */
export async function lookAtTasks(
  words: readonly string[],
  request: LookingAtTasks,
  stop: AbortSignal,
): Promise<Looked> {
  const seen = new Set<string>();
  const looked: Looked = { tasks: [], bad: [] };
  for (const given of words) {
    if (stop.aborted) break;
    const word = given.includes('/') ? path.resolve(request.cwd, given) : given;
    const one = await look({ ...request, word }, stop);
    if (one.how === 'stopped') break;
    if (one.how === 'mistaken') {
      looked.bad.push({ word: given, message: one.message, changed: [] });
      continue;
    }
    if (one.how === 'changed') {
      looked.bad.push({ word: given, message: changedSentence(one.changed), changed: one.changed });
      continue;
    }
    const root = realpathSync.native(one.root);
    if (seen.has(root)) looked.bad.push({ word: given, message: 'this task is named twice', changed: [] });
    else looked.tasks.push({ word, taskId: one.taskId, tool: one.tool });
    seen.add(root);
  }
  return looked;
}

type LookedAt = { how: 'read'; root: string; taskId: string; tool: Tool } | Exclude<Planned, { how: 'planned' }>;

async function look(request: LookingAtTasks & { word: string }, stop: AbortSignal): Promise<LookedAt> {
  const closed = closedFor(request);
  if (closed !== null) return { how: 'mistaken', message: closed };
  const opened = await openTask(request, 'look');
  if (opened.how === 'mistaken') return opened;
  const { task, plans } = opened.open;
  // A tree that is yet to be made says nothing; its run looks before it pays.
  const open = lookIntoWorktree(opened.open);
  const plan = open === null ? null : await checkStages({ ...request, open, halt: stop }, request);
  if (plan !== null && plan.how !== 'planned') return plan;
  return { how: 'read', root: task.root, taskId: task.id, tool: plans[0]!.stage.tool };
}
