// A run at one of its stages: what it hands on to whoever makes the stage's calls.

import { nowMs } from '../../wrappers/steady-clock.ts';
import type { Composing } from '../task/prompt.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import type { StageRun, TaskRun } from '../task/stage-run.ts';

/** @param endsAtMs when the wall clock of the task runs out, by the steady clock; null without a limit. */
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

/** What of the environment the CLI sees; without a list all of it, with one also what no program can do without. */
function allowed(environment: NodeJS.ProcessEnv, names: readonly string[] | undefined): NodeJS.ProcessEnv {
  if (names === undefined) return environment;
  const kept = new Set([...names, ...NEEDED]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => kept.has(name)));
}

/** The last one is ours: the mark of a call that this run is made from. */
const NEEDED = ['PATH', 'HOME', 'XDG_STATE_HOME', 'TMPDIR', 'LANG', 'TERM', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID'];
