// Builds what is run for a call: the CLI with its arguments, environment, files and limits.

import path from 'node:path';
import type { CallLimits } from '../../policies/manifest/call-terms.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import type { UsageSource } from '../../wrappers/following/usage-log.ts';
import type { GuardLimits } from '../../wrappers/guard.ts';
import { withFiles } from '../../wrappers/own/adapter.ts';
import { markEnvironment, markerOf } from '../../wrappers/processes/marker.ts';
import type { Invocation } from '../../wrappers/run.ts';
import type { Attempt } from './attempt.ts';
import { type EquippedCall, wallMs } from './phases.ts';
import type { WrapperRequest } from './request.ts';

/** Makes the input of the runner. */
export function invocationOf(call: EquippedCall): Invocation {
  const { request, callId, binary, argv, attempt, overlay, prompt, startedAt } = call;
  const { adapter, call: callRequest } = request;
  const log = adapter.log !== null && callRequest.environment[adapter.log.variable] === undefined ? adapter.log : null;
  const logFile = path.join(attempt.temporary, LOG);
  const settings = adapter.described?.settings(callRequest) ?? null;
  const marker = markerOf(callId, callRequest.environment);
  return {
    command: binary,
    argv,
    cwd: callRequest.cwd,
    environment: {
      ...callRequest.environment,
      ...withFilesIn(adapter, adapter.environment(callRequest), attempt.files),
      ...(log === null ? {} : { [log.variable]: logFile }),
      ...(settings === null ? {} : { [settings.variable]: settingsFile(attempt) }),
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
    ...usageSource(request, startedAt),
    limits: limitsOf(request.limits, prompt.length),
    adapter,
  };
}

/** The settings of a described CLI for one call. */
export const settingsFile = ({ temporary }: Pick<Attempt, 'temporary'>): string =>
  path.join(temporary, 'settings.json');

/** The log is raw, so it is removed with the folder. */
const LOG = 'cli.log';

/** The guard's limits, in milliseconds, turns, bytes, tokens and dollars. */
export function limitsOf(limits: CallLimits, promptBytes: number): GuardLimits {
  const { idleTimeoutMs, startTimeoutMs, maxTurns, maxOutputBytes, caps } = limits;
  const common = { idleMs: idleTimeoutMs, startMs: startTimeoutMs, maxTurns, maxOutputBytes };
  return { wallMs: wallMs(limits), ...common, ...(caps === undefined ? {} : { caps: { ...caps, promptBytes } }) };
}

/** Where the requests of a capped call are counted, if not in its event stream. */
export function usageSource(
  { adapter, call, limits }: Pick<WrapperRequest, 'adapter' | 'call' | 'limits'>,
  since: Date,
): { usage?: UsageSource } {
  const { liveUsage: log } = adapter;
  if (limits.caps === undefined || log === null || log === 'stream') return {};
  const { environment, cwd, resumeSession, newSession } = call;
  const sessionId = resumeSession ?? (adapter.sessionId === 'chosen' ? newSession : null);
  const find = async (id: string) => {
    const store = await adapter.sessions();
    return (await store.find(id, { environment, cwd }))?.file ?? null;
  };
  return { usage: { log, since, sessionId, find } };
}

/** Inserts the paths of a call's files into the words of a CLI that a project describes. */
export const withFilesOf = ({ described }: Adapter, words: string[], files: Attempt['files']): string[] =>
  described === undefined ? words : withFiles(words, { prompt: files.stdin, answer: files.usage });

const withFilesIn = (
  adapter: Adapter,
  environment: Record<string, string>,
  files: Attempt['files'],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, withFilesOf(adapter, [value], files)[0]!]),
  );
