// Combines a stage of a task with its role and its CLI's access, and checks the user's choices about stages.

import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { PromptTurn } from './compose.ts';
import type { RunOptions } from './run-options.ts';

/** `access`: what the CLI may do to the tree. */
export interface StagePlan {
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  /** The additional request of an iteration of a supervised task. */
  turn?: PromptTurn;
}

/** If a reasoner decides the steps of a task, the task has no stages to run in order. */
export const supervisedMistake = ({ manifest, task }: { manifest: Manifest; task: TaskFolder }): string | null =>
  manifest.supervise === undefined
    ? null
    : `${task.id} is a supervised task, and has no stages to run; say tollgate supervise ${task.id}`;

/** For `--redo`: each stage that `--keep` does not name. */
export const ALL_STAGES = 'all';

/** Returns what is wrong with the user's choices about stages, before the task is claimed; or null. */
export function choiceMistake(
  plans: readonly StagePlan[],
  { redo, keep }: Pick<RunOptions, 'redo' | 'keep'>,
): string | null {
  const names = plans.map(({ stage }) => stage.name);
  const unknown = [...redo.filter((name) => name !== ALL_STAGES), ...keep].find((name) => !names.includes(name));
  if (unknown !== undefined) return `there is no stage "${unknown}"; the stages are ${names.join(', ')}`;
  const both = redo.find((name) => keep.includes(name));
  return both === undefined ? null : `--redo ${both} and --keep ${both} contradict each other; say one of them`;
}
