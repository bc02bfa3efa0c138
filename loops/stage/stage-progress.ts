// Records how far a stage has come in this run, and how it ends.

import type { Change } from '../../policies/facts/gate-record.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { SessionUse } from '../session/session-use.ts';
import type { AttemptRequest, NextAttempt, SentText } from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageSession } from '../task/session-in-use.ts';
import type { StageEnd, StageRun } from '../task/stage-run.ts';

export interface StageProgress {
  /** With the tool that answers now. */
  run: StageRun;
  /** Locked as long as the stage runs. */
  session: StageSession;
  request: AttemptRequest;
  /** The prompt that is being answered; a continuation does not count as one. */
  sentPrompt: Prompt;
  /** Calls that were made. */
  calls: number;
  /** How often each signature was seen. */
  seen: Map<string, number>;
  retriesLeft: number;
  resetLeftMs: number;
  resetsAwaited: number;
  /** How often the stage waited while another process used its session, and whether its history was repaired. */
  busyAwaited: number;
  mended: boolean;
  /** Whether the tools of any attempt ran. */
  ranTools: boolean;
  /** The last attempt that failed, and what the stage has changed so far. */
  failed: CallRecord | null;
  changed: Change[];
  /** What was sent last, and how its session was obtained; null before the first call. */
  sent: SentText;
  sentInto: SessionUse | null;
}

interface StageEnded {
  how: 'ended';
  end: StageEnd;
}
export type StageStep = StageEnded | { how: 'again'; next: NextAttempt };

export const failed = (
  { calls }: StageProgress,
  { warnings }: Prompt,
  failure: Failure,
  record: CallRecord | null,
): StageEnded => ({ how: 'ended', end: { how: 'failed', failure, record, gate: null, warnings, calls } });

export const interrupted = (
  { calls, failed }: StageProgress,
  { warnings }: Prompt,
  record: CallRecord | null,
): StageEnded => ({
  how: 'ended',
  end: {
    how: 'interrupted',
    record,
    gate: null,
    warnings,
    calls,
    retry_at: failed?.verdict.retry_at ?? null,
  },
});
