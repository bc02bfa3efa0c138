// Describes a guarded call, and builds the command of its guardian.

import path from 'node:path';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import type { Dispatch } from '../attempt/dispatch.ts';
import { ownFlagsOf } from '../task/own-flags.ts';
import type { RunOptions } from '../task/run-options.ts';

export interface Errand {
  task: TaskFolder;
  stage: Stage;
  callId: string;
  access: Access;
  cwd: string;
  options: Pick<RunOptions, 'trustWorkspace' | 'keepRaw' | 'recordRequests' | 'ignoreHold'>;
  environment: NodeJS.ProcessEnv;
  /** The folder of the wrapper commands. */
  commandFolder: string;
  dispatch: Dispatch;
  promptFile: string;
  timeoutMs: number;
  resumeSession: string | null;
}

/** By these arguments, other processes recognise the guardian of this call (`late-guardian.ts`). */
export function commandOf(errand: Errand): string[] {
  const { task, stage, callId, access, cwd, options, commandFolder } = errand;
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
    'prompt-file': errand.promptFile,
    'timeout-ms': errand.timeoutMs,
    'resume-session': errand.resumeSession,
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

const flagsOf = (given: Record<string, true | string | number | readonly string[] | undefined | null>): string[] =>
  Object.entries(given).flatMap(([flag, value]) =>
    value === undefined || value === null
      ? []
      : [value].flat().map((one) => (one === true ? `--${flag}` : `--${flag}=${one}`)),
  );

export const recordFile = (task: TaskFolder, callId: string): string => path.join(task.attempts, callId, 'record.json');
