// Says how git reads the tree of a task, and saves the tree at the task's start if a stage is shown the changes since then.

import { keepStart as keepFirst } from '../tree/read-changes.ts';
import type { TreeRules } from '../tree/separate-index.ts';
import { forbidsOf, stateOf } from './compose.ts';
import type { RunContext } from './run-context.ts';
import type { OpenTask } from './task.ts';

/** @returns what is wrong, or null. */
export async function keepStart(open: OpenTask, context: RunContext): Promise<string | null> {
  const { task, plans, cwd } = open;
  const wanting = plans.find(({ stage: { diff } }) => typeof diff === 'object' && diff.since !== undefined);
  if (wanting === undefined) return null;
  const kept = await keepFirst(task.state, await treeRules(open, context, cwd));
  return kept.how === 'invalid' ? `stage ${wanting.stage.name}: diff: ${kept.message}` : null;
}

/** The rules by which git reads a folder of the task's tree: nothing forbidden, and none of our own files. */
export async function treeRules(
  { task, manifest, root }: OpenTask,
  { environment, stop }: { environment: NodeJS.ProcessEnv; stop: AbortSignal },
  cwd: string,
): Promise<TreeRules & { environment: NodeJS.ProcessEnv; halt: AbortSignal }> {
  const forbids = await forbidsOf(manifest.security.forbidden_paths, [root, cwd]);
  return { cwd, root, state: stateOf(task), forbids, environment, halt: stop };
}
