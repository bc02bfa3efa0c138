// Checks all tasks of a batch before any is paid for, and keeps little of each, because there may be many thousands.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { type ChangedPrompt, changedSentence } from '../../policies/verdict/changed-prompt.ts';
import { inspectTask } from '../guard/enter-task.ts';
import { lookIntoWorktree } from '../run/worktree.ts';
import { checkStages, type Planned } from '../task/plan.ts';
import type { RunSettings } from '../task/run-context.ts';
import { type OpenTask, openTask } from '../task/task.ts';

export interface BatchTask {
  /** The name that is passed on: an id, or an absolute path. */
  word: string;
  root: string;
  taskId: string;
  /** The tool of the task's first stage. */
  tool: Tool;
  /** The number of answered stages that are to be paid for again, as far as it is known in advance. */
  repeated: number;
}

/** The settings for the notification at the end of a batch, taken from its first task. */
interface Hearers extends Pick<OpenTask, 'notifiers' | 'root'> {
  patterns: readonly string[];
  envAllow: readonly string[] | undefined;
}

interface Looked {
  tasks: BatchTask[];
  bad: Bad[];
  /** null: no notification. */
  hearers: Hearers | null;
}

/** `changed`: stages whose prompt differs from the answered one. */
export interface Bad {
  word: string;
  message: string;
  changed: readonly ChangedPrompt[];
}

/** Makes the checks that each run makes before it pays, without a claim: nothing on disk changes. */
export async function lookAtTasks(words: readonly string[], settings: RunSettings): Promise<Looked> {
  const { cwd, stop } = settings.context;
  const seen = new Set<string>();
  const looked: Looked = { tasks: [], bad: [], hearers: null };
  for (const given of words) {
    if (stop.aborted) break;
    const word = given.includes('/') ? path.resolve(cwd, given) : given;
    const one = await look(word, settings);
    if (one.how === 'stopped') break;
    if (one.how === 'invalid') {
      looked.bad.push({ word: given, message: one.message, changed: [] });
      continue;
    }
    if (one.how === 'changed') {
      looked.bad.push({ word: given, message: changedSentence(one.changed), changed: one.changed });
      continue;
    }
    looked.hearers ??= one.hearers;
    const root = realpathSync.native(one.root);
    if (seen.has(root)) looked.bad.push({ word: given, message: 'this task is named twice', changed: [] });
    else looked.tasks.push({ word, root: one.root, taskId: one.taskId, tool: one.tool, repeated: one.repeated });
    seen.add(root);
  }
  return looked;
}

type LookedAt =
  | { how: 'read'; root: string; taskId: string; tool: Tool; repeated: number; hearers: Hearers | null }
  | Exclude<Planned, { how: 'planned' }>;

async function look(word: string, { options, context }: RunSettings): Promise<LookedAt> {
  const looking = { ...context, ...options, word };
  const entrance = inspectTask(looking);
  if (entrance.how === 'invalid') return entrance;
  const opened = await openTask({ ...looking, found: entrance.found }, 'look');
  if (opened.how === 'invalid') return opened;
  const { task, plans } = opened.open;
  // A tree that does not exist yet cannot be checked. Its run checks it before it pays.
  const open = lookIntoWorktree(opened.open);
  const plan = open === null ? null : await checkStages({ options, context, open });
  if (plan !== null && plan.how !== 'planned') return plan;
  return {
    how: 'read',
    root: task.root,
    taskId: task.id,
    tool: plans[0]!.stage.tool,
    repeated: plan?.repeated.length ?? 0,
    hearers: hearersOf(opened.open),
  };
}

function hearersOf({ notifiers, root, manifest: { security } }: OpenTask): Hearers | null {
  if (notifiers.length === 0) return null;
  return { notifiers, root, patterns: security.redaction_patterns, envAllow: security.env_allow };
}
