// Starts a wrapper as the guardian of one call, waits for its end, and reads the record that it wrote.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { EarlyGuardian } from '../attempt/dispatch.ts';
import { type Dispatch, dispatchLine } from '../attempt/dispatch.ts';
import type { SentTerms } from '../attempt/sent.ts';
import { GUARDIAN_TIMEOUTS, type GuardianTimeouts } from '../call/guardian-timeouts.ts';
import { endLate } from '../settle/late-guardian.ts';
import { commandOf, environmentOf, type GuardedCall, lateFlagsOf, recordFile } from './guardian-command.ts';
import { startGuardian } from './start-guardian.ts';

/** A guarded call, as it is asked for. */
export interface Errand extends GuardedCall {
  timeoutMs: number;
  dispatch: Omit<Dispatch, 'flags'>;
  promptFile: string;
  resumeSession: string | null;
}

interface GuardianEnd {
  /** null when it died before it could be looked up. */
  guardian: ProcessIdentity | null;
  /** How it ended, for when it left no record. */
  why: string;
  /** Once its process is, too. */
  gone: Promise<unknown>;
  /** By a signal: of ours, when the run was told to stop; not when it was ended for being late. */
  killed: boolean;
}

/**
 * Runs one wrapper to its end: the one that was started early, where it still waits. It is a process of its own session: it outlives this dispatcher, and a terminal's Ctrl-C
 * reaches only us; an abort of `stop` is passed on as TERM. Long past its call's deadline it is woken, then killed.
 */
export async function sendGuardian(
  errand: Errand,
  early: EarlyGuardian | null,
  stop: AbortSignal,
  patience: GuardianTimeouts = GUARDIAN_TIMEOUTS,
): Promise<GuardianEnd> {
  const guardian = early?.take() ?? startGuardian(commandOf(errand), environmentOf(errand));
  guardian.send(dispatchLine({ ...errand.dispatch, flags: lateFlagsOf(errand) }));
  const identified = guardian.pid === undefined ? null : identify(guardian.pid);
  stop.addEventListener('abort', guardian.end, { once: true });
  if (stop.aborted) guardian.end();
  const late = hurry(errand, identified, patience);
  const { gone } = guardian;
  const { signal, how } = await guardian.ended;
  late.rest();
  stop.removeEventListener('abort', guardian.end);
  if (late.wasEnded()) return { guardian: await identified, why: LATE, killed: false, gone };
  const why = `the wrapper ${how} and left no record`;
  return { guardian: await identified, why, killed: signal !== null, gone };
}

/** What it is held to if its guardian dies. What is not set here is the wrapper's own default, or no limit. */
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

/** `rest` calls it off. */
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
    // Without a free descriptor nothing can be looked up.
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

/** The record of that very call, which it leaves in its attempt's folder; null when it left none. */
export const readRecord = (task: TaskFolder, callId: string): CallRecord | null => recordIn(recordFile(task, callId));

export const recordIn = (file: string): CallRecord | null => readJsonIfFit<CallRecord>(file);
