// Saves the tree at the start of a task's first run, if a stage will be shown what has changed since then.

import { keepStart as keepFirst } from '../tree/read-changes.ts';
import { forbidsOf, stateOf } from './compose.ts';
import type { OpenTask } from './task.ts';

/** @returns what is wrong, or null. */
export async function keepStart(
  open: OpenTask,
  environment: NodeJS.ProcessEnv,
  halt: AbortSignal,
): Promise<string | null> {
  const { task, manifest, plans, cwd, root } = open;
  const wanting = plans.find(({ stage: { diff } }) => typeof diff === 'object' && diff.since !== undefined);
  if (wanting === undefined) return null;
  const kept = await keepFirst(task.state, {
    cwd,
    root,
    state: stateOf(task),
    forbids: await forbidsOf(manifest.security.forbidden_paths, [root, cwd]),
    environment,
    halt,
  });
  return kept.how === 'invalid' ? `stage ${wanting.stage.name}: diff: ${kept.message}` : null;
}
