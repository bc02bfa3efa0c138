// Builds what is run for a call: the CLI with its arguments, environment, files and limits.

import path from 'node:path';
import type { GuardLimits } from '../../wrappers/guard.ts';
import { markEnvironment, markerOf } from '../../wrappers/processes/marker.ts';
import type { Invocation } from '../../wrappers/run.ts';
import type { Attempt } from './attempt.ts';
import { type Draft, wallMs } from './draft.ts';
import { withFilesIn } from './own-files.ts';
import type { WrapperRequest } from './request.ts';

/** Makes the input of the runner; the draft must know its binary by now. */
export function invocationOf(draft: Draft, attempt: Attempt, overlay: Record<string, string>): Invocation {
  const { adapter, call: asked } = draft.request;
  const log = adapter.log !== null && asked.environment[adapter.log.variable] === undefined ? adapter.log : null;
  const logFile = path.join(attempt.temporary, LOG);
  const marker = markerOf(draft.callId, asked.environment);
  return {
    command: draft.binary!,
    argv: draft.argv,
    cwd: asked.cwd,
    environment: {
      ...asked.environment,
      ...withFilesIn(adapter, adapter.environment(asked), attempt.files),
      ...(log === null ? {} : { [log.variable]: logFile }),
      ...overlay,
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
    retries: asked.innerRetries,
    ...(asked.requires === undefined ? {} : { requires: asked.requires }),
    limits: limitsOf(draft.request),
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
