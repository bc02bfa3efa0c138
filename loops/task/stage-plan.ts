// A stage of a task with its role and what its CLI may do; and what is wrong with what was said of stages.

import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { PromptTurn } from '../prompt/compose.ts';
import type { RunOptions } from './run-options.ts';

/** `access`: what the CLI may do to the tree. */
export interface StagePlan {
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  /** What an iteration of a supervised task asks beside. */
  turn?: PromptTurn;
}

/** A task whose steps a reasoner says has none to be run in order. */
export const supervisedMistake = ({ manifest, task }: { manifest: Manifest; task: TaskFolder }): string | null =>
  manifest.supervise === undefined
    ? null
    : `${task.id} is a supervised task, and has no stages to run; say tollgate supervise ${task.id}`;

/** For `--redo`: each stage that is not named by `--keep`. */
export const ALL_STAGES = 'all';

/** What is wrong with what the user said about stages; found before the task is claimed. */
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
