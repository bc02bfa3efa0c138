// The guardian of a stage is started while the stage is looked through and prepared, where it is known to need one.

import type { EarlyGuardian } from '../attempt/dispatch.ts';
import type { Composing } from '../task/prompt.ts';
import { stageRunOf } from './stage-run-of.ts';

/** That of the first stage that is still to be asked, where nobody has the task and its tree is there. */
export async function startFirst(task: Composing): Promise<EarlyGuardian | null> {
  const { done, run } = task.open.journal.read().ledger;
  if (run !== null || task.open.manifest.worktree) return null;
  const first = task.open.plans.find(({ stage }) => !done.has(stage.name));
  return first === undefined ? null : startFor(stageRunOf(task, first, null));
}

/** A batch has its places full of calls as it is: to start one more would take from those. */
export async function startFor(run: ReturnType<typeof stageRunOf<Composing>>): Promise<EarlyGuardian | null> {
  if (run.context.slots !== undefined) return null;
  const { startEarly } = await import('../stage/early-guardian.ts');
  return startEarly(run);
}
