// Starts a wrapper as the guardian of one call, with the command that describes it, waits for its end, and reads its record.

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { type Dispatch, writeDispatch } from '../attempt/dispatch.ts';
import { GUARDIAN_TIMEOUTS, type GuardianTimeouts } from '../attempt/phases.ts';
import type { SentTerms } from '../attempt/request.ts';
import { endLate } from '../call/late-guardian.ts';
import type { RunOptions } from '../task/run-options.ts';
import { ownFlagsOf } from '../task/stage-plan.ts';

/** A call for which a guardian is started. */
export interface Errand {
  task: TaskFolder;
  stage: Stage;
  callId: string;
  access: Access;
  cwd: string;
  options: RunOptions;
  environment: NodeJS.ProcessEnv;
  commandFolder: string;
  dispatch: Dispatch;
  promptFile: string;
  timeoutMs: number;
  resumeSession: string | null;
}

interface GuardianEnd {
  /** null if it died before it could be looked up. */
  guardian: ProcessIdentity | null;
  /** How it ended; used if it wrote no record. */
  why: string;
  /** Whether a signal ended it. Our own signal after a stop request counts; ending it for being late does not. */
  killed: boolean;
}

/**
 * Runs one wrapper to its end, in a session of its own: it outlives this dispatcher, and a terminal's Ctrl-C reaches only this
 * process. An abort of `stop` is passed on as SIGTERM. If the call is long past its deadline, the wrapper is resumed, and then
 * killed.
 */
export async function sendGuardian(
  errand: Errand,
  stop: AbortSignal,
  patience: GuardianTimeouts = GUARDIAN_TIMEOUTS,
): Promise<GuardianEnd> {
  const guardian = startGuardian(
    () => [...commandOf(errand), writeDispatch(errand.task.attempts, errand.dispatch)],
    errand.environment,
  );
  const identified = guardian.pid === undefined ? null : identify(guardian.pid);
  stop.addEventListener('abort', guardian.end, { once: true });
  if (stop.aborted) guardian.end();
  const late = hurry(errand, identified, patience);
  const { signal, how } = await guardian.ended;
  late.rest();
  stop.removeEventListener('abort', guardian.end);
  if (late.wasEnded()) return { guardian: await identified, why: LATE, killed: false };
  const why = `the wrapper ${how} and wrote no record`;
  return { guardian: await identified, why, killed: signal !== null };
}

interface StartedGuardian {
  /** undefined if it could not be started. */
  pid: number | undefined;
  /** Requests its end. A stopped process is continued, and one that does not obey is killed. */
  end(): void;
  ended: Promise<GuardianExit>;
}

interface GuardianExit {
  /** The signal that ended it; null if there was none. */
  signal: NodeJS.Signals | null;
  /** Words that follow "the wrapper". */
  how: string;
}

/** A guardian that receives SIGTERM ends its call in less time. */
const OBEYS_MS = 5000;

/** Never throws. @param prepare writes what the guardian needs; @returns the script and its arguments. */
export function startGuardian(
  prepare: () => readonly string[],
  env: NodeJS.ProcessEnv,
  obeysMs: number = OBEYS_MS,
): StartedGuardian {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, prepare(), { detached: true, stdio: 'ignore', env });
  } catch (error) {
    return { pid: undefined, end: () => {}, ended: Promise.resolve(unstarted(error as Error)) };
  }
  let killing: NodeJS.Timeout | undefined;
  const ended = new Promise<GuardianExit>((resolve) => {
    // Later errors are about signals that could not be sent.
    child.on('error', (error) => child.pid === undefined && resolve(unstarted(error)));
    child.once('exit', (code, signal) => {
      clearTimeout(killing);
      resolve({ signal, how: signal === null ? `ended with exit code ${code}` : `ended by ${signal}` });
    });
  });
  const end = () => {
    // A stopped process receives no signal until it is continued.
    if (!child.kill('SIGTERM')) return;
    child.kill('SIGCONT');
    killing ??= setTimeout(() => child.kill('SIGKILL'), obeysMs);
  };
  return { pid: child.pid, end, ended };
}

const unstarted = ({ message }: Error): GuardianExit => ({ signal: null, how: `could not be started (${message})` });

/** The limits that apply if the guardian dies. If a limit is not set here, it is the wrapper's default, or there is none. */
export const sentNow = ({ timeoutMs, stage }: Errand): SentTerms => ({
  atMs: nowMs(),
  limits: {
    timeoutMs,
    timeoutMode: 'enforce',
    idleTimeoutMs: stage.idle_timeout_ms ?? null,
    startTimeoutMs: stage.start_timeout_ms || null,
    maxTurns: stage.max_turns ?? null,
    maxOutputBytes: Number.POSITIVE_INFINITY,
  },
});

const LATE = 'the wrapper was stopped or stuck until long past the deadline of its call, and was ended';

/** `rest` cancels it. */
function hurry(
  { task, stage: { tool }, timeoutMs, callId }: Errand,
  identified: Promise<ProcessIdentity | null> | null,
  patience: GuardianTimeouts,
): { rest(): void; wasEnded(): boolean } {
  const attempt = path.join(task.attempts, callId);
  let over = false;
  let ended = false;
  const end = async () => {
    const guardian = await identified;
    if (guardian === null || over) return;
    const killing = () => {
      ended = true;
    };
    await endLate({ guardian, tool, attempt, known: 'child', isOver: () => over, killing }, patience);
  };
  const again = () => {
    // Without a free descriptor, no process can be looked up.
    if (!over) timer = setTimeout(() => end().catch(again), patience.lateMs);
  };
  let timer = setTimeout(() => end().catch(again), timeoutMs + patience.lateMs);
  return {
    rest: () => {
      over = true;
      clearTimeout(timer);
    },
    wasEnded: () => ended,
  };
}

/** By these arguments, other processes recognise the guardian of this call (`late-guardian.ts`). */
function commandOf(errand: Errand): string[] {
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

const recordFile = (task: TaskFolder, callId: string): string => path.join(task.attempts, callId, 'record.json');

/** The record of this call, which the guardian writes to the attempt's folder; null if there is none. */
export const readRecord = (task: TaskFolder, callId: string): CallRecord | null => recordIn(recordFile(task, callId));

export const recordIn = (file: string): CallRecord | null => readJsonIfFit<CallRecord>(file);
