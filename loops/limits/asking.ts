// A call that asks whether the limits let it begin.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { accountOf } from '../../policies/limits/account.ts';
import type { HeldCall } from '../../policies/limits/holds.ts';
import type { OpenCall } from '../../policies/limits/ledger.ts';
import { projectRoot, type TaskFolder } from '../../state/task-folder.ts';
import { outerCalls } from '../../wrappers/processes/marker.ts';

export interface LimitedCall {
  callId: string;
  tool: Tool;
  /** As it is asked for; null for the tool's own choice. */
  model: string | null;
  task: Pick<TaskFolder, 'root'> | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** What was learnt of the service's limits is passed over. */
  holds: 'obeyed' | 'ignored';
  /** How long a rate limit that another call met is waited for; what is further away refuses it. */
  rateWaitMs: number;
}

/** So short a time is waited for by whoever asks. */
export const SHORT_WAIT_MS = 60_000;

/** Whose `tollgate.yaml` counts. */
export const projectOf = ({ task, cwd }: Pick<LimitedCall, 'task' | 'cwd'>): string =>
  path.resolve(projectRoot(task?.root ?? cwd));

export const openCallOf = (call: LimitedCall, owner: ProcessIdentity, at: number): OpenCall => ({
  call_id: call.callId,
  tool: call.tool,
  account: accountOf(call.tool, call.environment),
  project: projectOf(call),
  task: call.task?.root ?? null,
  at,
  owner,
});

export const heldCallOf = ({ tool, model, environment }: LimitedCall): HeldCall => ({
  tool,
  model,
  account: accountOf(tool, environment),
});

/** Made by an agent from within a call: it would wait for whoever waits for it. */
export const isNested = ({ environment }: LimitedCall): boolean => outerCalls(environment).length > 0;
