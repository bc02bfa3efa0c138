// What is run for a call: the CLI with its arguments, environment, files and limits.

import type { GuardLimits } from '../../wrappers/guard.ts';
import { markEnvironment, markerOf } from '../../wrappers/processes/marker.ts';
import type { Invocation } from '../../wrappers/run.ts';
import type { Attempt } from './attempt.ts';
import { type Draft, wallMs } from './draft.ts';
import { withFilesIn } from './own-files.ts';
import type { WrapperRequest } from './request.ts';

/** What the runner is handed; the draft must know its binary by now. */
export function invocationOf(draft: Draft, attempt: Attempt, overlay: Record<string, string>): Invocation {
  const { adapter, call: asked } = draft.request;
  const marker = markerOf(draft.callId, asked.environment);
  return {
    command: draft.binary!,
    argv: draft.argv,
    cwd: asked.cwd,
    environment: {
      ...asked.environment,
      ...withFilesIn(adapter, adapter.environment(asked), attempt.files),
      ...overlay,
      ...markEnvironment(marker),
      TMPDIR: attempt.temporary,
    },
    files: adapter.prompt.via === 'file' ? { ...attempt.files, stdin: '/dev/null' } : attempt.files,
    marker,
    folders: [attempt.folder, attempt.temporary],
    retries: asked.innerRetries,
    limits: limitsOf(draft.request),
    adapter,
  };
}

/** The guard's limits, in milliseconds, turns and bytes. */
export function limitsOf(request: Pick<WrapperRequest, 'limits'>): GuardLimits {
  const { idleTimeoutMs, startTimeoutMs, maxTurns, maxOutputBytes } = request.limits;
  return { wallMs: wallMs(request), idleMs: idleTimeoutMs, startMs: startTimeoutMs, maxTurns, maxOutputBytes };
}
