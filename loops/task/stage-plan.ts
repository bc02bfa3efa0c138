// Combines a stage with its role and its CLI's access, checks the user's choices of stages, and maps its fields to flags.

import { type Requirements, requirementsOf } from '../../policies/facts/requirements.ts';
import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { PlaceOf } from '../../state/project/manifest.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
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
export function choiceMistake(plans: readonly StagePlan[], { redo, keep }: RunOptions): string | null {
  const names = plans.map(({ stage }) => stage.name);
  const unknown = [...redo.filter((name) => name !== ALL_STAGES), ...keep].find((name) => !names.includes(name));
  if (unknown !== undefined) return `there is no stage "${unknown}"; the stages are ${names.join(', ')}`;
  const both = redo.find((name) => keep.includes(name));
  return both === undefined ? null : `--redo ${both} and --keep ${both} contradict each other; say one of them`;
}

/** The fields of a stage that only some CLIs support, and the flags of their wrappers. */
const FIELDS = {
  effort: 'effort',
  allow_tool: 'allow-tool',
  allow_commit: 'allow-commit',
} as const satisfies Partial<Record<keyof Stage, string>>;

type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

const has = (tool: Tool, field: Field) => FIELDS[field] in adapterOf(tool).own;

/** The values by flag name; empty for a CLI that supports none of the fields. */
export const ownFlagsOf = (stage: Stage): Record<string, true | string | readonly string[]> =>
  Object.fromEntries(
    NAMES.flatMap((field) => (stage[field] && has(stage.tool, field) ? [[FIELDS[field], stage[field]]] : [])),
  );

/** What a stage requires of its calls besides an answer. */
export const requirementsOfStage = ({ requires_mcp = [], on_denied = 'note' }: Stage): Requirements =>
  requirementsOf([requires_mcp].flat(), on_denied);

/** Notes about the manifest fields that change nothing: those of another CLI, and acceptance commands that no stage runs. */
export function fieldsWithoutEffect({
  manifest,
  plans,
}: {
  manifest: Manifest;
  plans: readonly StagePlan[];
}): string[] {
  const fields = NAMES.filter((field) => manifest.stages.some((stage) => stage[field] && !has(stage.tool, field))).map(
    (field) => `stages[].${field} (only ${TOOLS.filter((tool) => has(tool, field)).join(' and ')} take it)`,
  );
  const isUnused = manifest.acceptance.commands.length > 0 && !plans.some(({ role }) => role.runsAcceptance);
  return [
    ...(fields.length === 0 ? [] : [`fields without effect: ${fields.join('; ')}`]),
    ...(isUnused
      ? [
          'acceptance.commands run after a stage with the role verify, and this task has none: only `--recheck` runs them',
        ]
      : []),
  ];
}

/** @returns what is wrong with the effort of a stage; null if its CLI takes it, or has none. */
export function effortMistake({ name, tool, effort }: Stage, placeOf: PlaceOf): string | null {
  const choices = effort === undefined ? undefined : adapterOf(tool).own.effort?.choices;
  if (choices === undefined || choices.includes(effort!)) return null;
  const { at, path: field } = placeOf(name, 'effort');
  return `${at}: ${field} of ${tool} must be one of ${choices.join(', ')}`;
}
