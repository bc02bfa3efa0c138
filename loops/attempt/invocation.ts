// Builds what is run for a call: the CLI with its arguments, environment, files and limits.

import path from 'node:path';
import type { CallLimits } from '../../policies/manifest/call-terms.ts';
import type { Adapter, OwnVariables } from '../../wrappers/adapter.ts';
import { listsTools } from '../../wrappers/feature.ts';
import type { UsageSource } from '../../wrappers/following/usage-log.ts';
import type { GuardLimits } from '../../wrappers/guard.ts';
import { withFiles } from '../../wrappers/own/adapter.ts';
import { containerName, programOf, setOf } from '../../wrappers/prefix.ts';
import { markEnvironment, markerOf } from '../../wrappers/processes/marker.ts';
import type { Invocation } from '../../wrappers/run.ts';
import type { Attempt } from './attempt.ts';
import { type EquippedCall, wallMs } from './phases.ts';
import type { WrapperRequest } from './request.ts';

/** Makes the input of the runner. */
export function invocationOf(equipped: EquippedCall): Invocation {
  const { request, callId, binary, cliVersion, argv, attempt, overlay, prompt, startedAt, through } = equipped;
  const { adapter, call: callRequest } = request;
  return {
    command: binary,
    argv,
    ...(through === null ? {} : { through, container: { prefix: adapter.prefix!, name: containerName(callId) } }),
    cwd: callRequest.cwd,
    environment: { ...callRequest.environment, ...ownVariables({ request, callId, attempt, overlay }) },
    files: {
      ...attempt.files,
      ...(adapter.prompt.via === 'file' ? { stdin: '/dev/null' } : {}),
      ...(logOf(request, attempt) === null ? {} : { log: path.join(attempt.temporary, LOG) }),
    },
    marker: markerOf(callId, callRequest.environment),
    folders: [attempt.folder, attempt.temporary],
    retries: callRequest.innerRetries,
    ...(callRequest.requires === undefined ? {} : { requires: callRequest.requires }),
    ...usageSource(request, startedAt),
    limits: limitsOf(request.limits, prompt.length),
    adapter: listsTools(adapter.features, cliVersion) ? { ...adapter, listsTools: true } : adapter,
  };
}

/** The settings of a described CLI for one call. */
export const settingsFile = ({ temporary }: Attempt): string => path.join(temporary, 'settings.json');

type NamedCall = Pick<EquippedCall, 'request' | 'callId' | 'attempt' | 'overlay'>;

/** The variables that we set for a CLI. */
function ownVariables({ request, callId, attempt, overlay }: NamedCall): OwnVariables {
  const { adapter, call } = request;
  const settings = adapter.described?.settings(call) ?? null;
  return {
    ...withFilesIn(adapter, adapter.environment(call), attempt.files),
    ...logOf(request, attempt)?.environment,
    ...(settings === null ? {} : { [settings.variable]: settingsFile(attempt) }),
    ...overlay.environment,
    ...markEnvironment(markerOf(callId, call.environment)),
    TMPDIR: attempt.temporary,
  };
}

/** What makes the CLI write its log for this call; null if it does not. */
export const logOf = ({ adapter, call }: WrapperRequest, { temporary }: Attempt) =>
  adapter.log?.request(path.join(temporary, LOG), call) ?? null;

/** What a prefix must pass on to the CLI. */
export function prefixedCall({ request, callId, attempt, overlay }: NamedCall) {
  const { adapter, call } = request;
  const variables = ownVariables({ request, callId, attempt, overlay });
  // Only these read or write files of the attempt by their path.
  const usesFiles = adapter.usageFile !== null || adapter.described !== undefined;
  return {
    callId,
    cwd: call.cwd,
    environment: { ...call.environment, ...variables },
    variables: setOf(variables),
    folders: [attempt.temporary, ...overlay.folders, ...(usesFiles ? [attempt.folder] : [])],
  };
}

/** The words of a call as its record shows them: those of the CLI, or the whole line with its prefix. */
export const wholeLine = (
  { request, through }: Pick<EquippedCall, 'request' | 'through'>,
  argv: readonly string[],
): readonly string[] => (through === null ? argv : [programOf(request.adapter), ...through(argv)]);

/** The log is raw, so it is removed with the folder. */
const LOG = 'cli.log';

/** The guard's limits, in milliseconds, turns, bytes, tokens and dollars. */
export function limitsOf(limits: CallLimits, promptBytes: number): GuardLimits {
  const { idleTimeoutMs, startTimeoutMs, maxTurns, maxOutputBytes, caps } = limits;
  const common = { idleMs: idleTimeoutMs, startMs: startTimeoutMs, maxTurns, maxOutputBytes };
  return { wallMs: wallMs(limits), ...common, ...(caps === undefined ? {} : { caps: { ...caps, promptBytes } }) };
}

/** Where the requests of a call are counted, if not in its event stream; if it has a cap, or needs that for its warnings or its sub-agents. */
export function usageSource({ adapter, call, limits }: WrapperRequest, since: Date): { usage?: UsageSource } {
  const { liveUsage: log } = adapter;
  if (log === null || log === 'stream') return {};
  const when = limits.caps !== undefined || log.endsMessages ? 'at_once' : 'if_sub_agents';
  if (when === 'if_sub_agents' && log.createAgentReader === undefined) return {};
  const { environment, cwd, resumeSession, newSession } = call;
  const sessionId = resumeSession ?? (adapter.sessionId === 'chosen' ? newSession : null);
  const find = async (id: string) => {
    const store = await adapter.sessions();
    return (await store.find(id, { environment, cwd }))?.file ?? null;
  };
  return { usage: { log, since, when, sessionId, find } };
}

/** Inserts the paths of a call's files into the words of a CLI that a project describes. */
export const withFilesOf = ({ described }: Adapter, words: string[], files: Attempt['files']): string[] =>
  described === undefined ? words : withFiles(words, { prompt: files.stdin, answer: files.usage });

const withFilesIn = (adapter: Adapter, environment: OwnVariables, files: Attempt['files']): OwnVariables =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value === undefined ? undefined : withFilesOf(adapter, [value], files)[0]!,
    ]),
  );
