// Makes the context of one stage of a run, for the code that makes the stage's calls.

import { nowMs } from '../../wrappers/steady-clock.ts';
import type { Composing } from '../task/prompt.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import type { StageRun, TaskRun } from '../task/stage-run.ts';

/** @param endsAtMs when the task's wall clock runs out, by the steady clock; null without a limit. */
export function stageRunOf<Task extends Composing>(
  task: Task,
  { stage, role, access }: StagePlan,
  endsAtMs: number | null,
): Task & Omit<StageRun, keyof TaskRun> {
  const { open, options, context } = task;
  const { security } = open.manifest;
  return {
    ...task,
    options: { ...options, trustWorkspace: options.trustWorkspace || security.trust_workspace },
    context: { ...context, environment: allowed(context.environment, security.env_allow) },
    stage,
    role,
    access,
    wallLeftMs: () => endsAtMs && endsAtMs - nowMs(),
    redone: false,
  };
}

/** The environment of the CLI: everything without a list, and with one also the variables that every program needs. */
function allowed(environment: NodeJS.ProcessEnv, names: readonly string[] | undefined): NodeJS.ProcessEnv {
  if (names === undefined) return environment;
  const kept = new Set([...names, ...NEEDED]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => kept.has(name)));
}

/** The last one is ours: the id of the call that encloses this run. */
const NEEDED = ['PATH', 'HOME', 'XDG_STATE_HOME', 'TMPDIR', 'LANG', 'TERM', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID'];
