// Defines a call that requests admission by the limits.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { outerCalls } from '../../wrappers/processes/marker.ts';

export interface LimitedCall {
  callId: string;
  tool: Tool;
  /** As requested; null for the tool's own choice. */
  model: string | null;
  task: { root: string } | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** `ignored`: known limits of the service are not applied. */
  holds: 'obeyed' | 'ignored';
  /** The longest wait for a rate limit that another call met; a longer one refuses the call. */
  rateWaitMs: number;
}

/** Every caller accepts a wait of this length. */
export const SHORT_WAIT_MS = 60_000;

/** The project whose `tollgate.yaml` counts. */
export const projectOf = ({ task, cwd }: { task: LimitedCall['task']; cwd: string }): string =>
  path.resolve(projectRoot(task?.root ?? cwd));

/** An agent makes a nested call from within a call. It would wait for the call that waits for it. */
export const isNested = ({ environment }: LimitedCall): boolean => outerCalls(environment).length > 0;
