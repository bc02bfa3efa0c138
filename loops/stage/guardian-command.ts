// The command of a guardian: what it is started with, and the flags that it is told once its call is known.

import path from 'node:path';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import { passedAs } from '../../wrappers/processes/passed-variables.ts';
import { DISPATCH, DISPATCH_FD } from '../attempt/dispatch.ts';
import { TREE } from '../scope/question.ts';
import { ownFlagsOf } from '../task/own-flags.ts';
import type { RunOptions } from '../task/run-options.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

/** What is known of a guarded call while its stage is still prepared. */
export interface GuardedCall {
  task: TaskFolder;
  stage: Stage;
  callId: string;
  access: Access;
  cwd: string;
  options: Pick<RunOptions, 'trustWorkspace' | 'keepRaw' | 'recordRequests' | 'ignoreHold'>;
  environment: NodeJS.ProcessEnv;
  /** Where the wrappers lie. */
  commandFolder: string;
}

export const guardedOf = (
  { open, stage, access, options, context }: Pick<StageRun, 'open' | 'stage' | 'access' | 'options' | 'context'>,
  callId: string,
): GuardedCall => ({
  ...{ task: open.task, stage, callId, access, cwd: open.cwd, options },
  environment: { ...context.environment, ...whichTask(open) },
  commandFolder: context.commandFolder,
});

/** An agent asks `tollgate scope ask` about its task. */
const whichTask = ({ task, tree }: OpenTask) => ({ ...passedAs('TOLLGATE_TASK', task.root), ...passedAs(TREE, tree) });

export const environmentOf = ({ environment }: GuardedCall): NodeJS.ProcessEnv => ({
  ...environment,
  [DISPATCH]: `${DISPATCH_FD}`,
});

/** By its words others know it for the guardian of that very call (`late-guardian.ts`). */
export function commandOf({ task, stage, callId, access, cwd, options, commandFolder }: GuardedCall): string[] {
  const [script, ...words] = guardianOf(stage.tool);
  const { out, err } = outputsOf(task, stage);
  const given = {
    out,
    err,
    result: recordFile(task, callId),
    task: `${task.root}/`,
    stage: stage.name,
    cwd,
    'idle-timeout-ms': stage.idle_timeout_ms,
    'start-timeout-ms': stage.start_timeout_ms,
    'max-turns': stage.max_turns,
    model: stage.model,
    access,
    ...ownFlagsOf(stage),
    'require-mcp': stage.requires_mcp,
  };
  return [
    ...[path.join(commandFolder, script), ...words, ...flagsOf(given)],
    ...(stage.on_denied === 'fail' ? ['--fail-on-denied'] : []),
    ...(options.trustWorkspace ? ['--trust-workspace'] : []),
    ...(options.keepRaw ? ['--keep-raw'] : []),
    ...(options.ignoreHold ? ['--ignore-hold'] : []),
    ...(options.recordRequests ? ['--record-requests'] : []),
  ];
}

interface LateTerms {
  promptFile: string;
  timeoutMs: number;
  resumeSession: string | null;
}

/** How much time a task has left, and in which session it goes on, is known last. */
export const lateFlagsOf = ({ promptFile, timeoutMs, resumeSession }: LateTerms): string[] =>
  flagsOf({ 'prompt-file': promptFile, 'timeout-ms': timeoutMs, 'resume-session': resumeSession });

const flagsOf = (given: Record<string, true | string | number | readonly string[] | undefined | null>): string[] =>
  Object.entries(given).flatMap(([flag, value]) =>
    value === undefined || value === null
      ? []
      : [value].flat().map((one) => (one === true ? `--${flag}` : `--${flag}=${one}`)),
  );

export const recordFile = (task: TaskFolder, callId: string): string => path.join(task.attempts, callId, 'record.json');
