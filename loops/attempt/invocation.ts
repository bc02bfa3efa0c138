// Builds what is run for a call: the CLI with its arguments, environment, files and limits.

import path from 'node:path';
import type { GuardLimits } from '../../wrappers/guard.ts';
import { markEnvironment, markerOf } from '../../wrappers/processes/marker.ts';
import type { Invocation } from '../../wrappers/run.ts';
import { withFilesIn } from './own-files.ts';
import { type EquippedCall, wallMs } from './phases.ts';
import type { WrapperRequest } from './request.ts';

/** Makes the input of the runner. */
export function invocationOf({ request, callId, binary, argv, attempt, overlay }: EquippedCall): Invocation {
  const { adapter, call: callRequest } = request;
  const log = adapter.log !== null && callRequest.environment[adapter.log.variable] === undefined ? adapter.log : null;
  const logFile = path.join(attempt.temporary, LOG);
  const marker = markerOf(callId, callRequest.environment);
  return {
    command: binary,
    argv,
    cwd: callRequest.cwd,
    environment: {
      ...callRequest.environment,
      ...withFilesIn(adapter, adapter.environment(callRequest), attempt.files),
      ...(log === null ? {} : { [log.variable]: logFile }),
      ...overlay.environment,
      ...markEnvironment(marker),
      TMPDIR: attempt.temporary,
    },
    files: {
      ...attempt.files,
      ...(adapter.prompt.via === 'file' ? { stdin: '/dev/null' } : {}),
      ...(log === null ? {} : { log: logFile }),
    },
    marker,
    folders: [attempt.folder, attempt.temporary],
    retries: callRequest.innerRetries,
    ...(callRequest.requires === undefined ? {} : { requires: callRequest.requires }),
    limits: limitsOf(request),
    adapter,
  };
}

/** The log is raw, so it is removed with the folder. */
const LOG = 'cli.log';

/** The guard's limits, in milliseconds, turns and bytes. */
export function limitsOf(request: Pick<WrapperRequest, 'limits'>): GuardLimits {
  const { idleTimeoutMs, startTimeoutMs, maxTurns, maxOutputBytes } = request.limits;
  return { wallMs: wallMs(request), idleMs: idleTimeoutMs, startMs: startTimeoutMs, maxTurns, maxOutputBytes };
}
