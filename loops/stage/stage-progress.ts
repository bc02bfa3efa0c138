// How far a stage has come in this run, and how that ends.

import type { Change } from '../../policies/facts/gate-record.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { SessionUse } from '../session/session-use.ts';
import type { AttemptRequest, NextAttempt, SentText } from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageSession } from '../task/session-in-use.ts';
import type { StageEnd, StageRun } from '../task/stage-run.ts';

/** How far a stage has come in this run. */
export interface StageProgress {
  /** With the tool that answers now. */
  run: StageRun;
  /** Locked for as long as the stage runs. */
  session: StageSession;
  request: AttemptRequest;
  /** The prompt that is being answered: to go on says nothing of its own. */
  sentPrompt: Prompt;
  /** Calls that were made. */
  calls: number;
  /** How often each signature was seen. */
  seen: Map<string, number>;
  retriesLeft: number;
  resetLeftMs: number;
  resetsAwaited: number;
  /** How often somebody else's use of its session was waited for; and whether its history was mended. */
  busyAwaited: number;
  mended: boolean;
  /** Did the tools of any attempt run? */
  ranTools: boolean;
  /** The last attempt that failed, and what the stage has changed so far. */
  failed: CallRecord | null;
  changed: Change[];
  /** What was sent last, and how the session it went to came about; null before the first call. */
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
