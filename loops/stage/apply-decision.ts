// Carries out a decision: waits, and switches to the tool and the session of the next attempt.

import type { NextAttempt } from '../task/attempt-request.ts';
import { pauseUntil } from './pauses.ts';
import type { StageProgress } from './stage-progress.ts';
import { openStageSession } from './stage-session.ts';

/** `stopped`: a stop was requested while the stage waited. */
export interface Applied {
  how: 'followed' | 'stopped';
  progress: StageProgress;
}

export async function applyDecision(progress: StageProgress, next: NextAttempt): Promise<Applied> {
  const { run, resetLeftMs } = progress;
  const { pause, clock, stop } = run.context;
  // The granted wait is counted in time awake, so that a clock that is set back cannot prolong it without limit.
  if (next.until === null) await pause(next.waitMs, stop);
  else await pauseUntil(next.until, resetLeftMs, clock, stop);
  const decided = {
    ...progress,
    ...counted(progress, next),
    request: next.request,
    run: { ...run, stage: next.stage },
  };
  return next.stage.tool === run.stage.tool ? { how: 'followed', progress: decided } : changeTool(decided);
}

function counted(
  { retriesLeft, busyAwaited, resetsAwaited, resetLeftMs }: StageProgress,
  { counts, waitMs }: NextAttempt,
): Partial<StageProgress> {
  if (counts === 'as_retry') return { retriesLeft: retriesLeft - 1 };
  if (counts === 'as_busy') return { busyAwaited: busyAwaited + 1 };
  if (counts !== 'as_reset') return {};
  return { resetsAwaited: resetsAwaited + 1, resetLeftMs: Math.max(0, resetLeftMs - waitMs) };
}

/**
 * Another tool has another session. The first session is released before, since two stages that each wait for the other's would
 * deadlock.
 */
async function changeTool(progress: StageProgress): Promise<Applied> {
  const { run, request } = progress;
  progress.session.release();
  const session = await openStageSession(run);
  if (session === null) return { how: 'stopped', progress };
  session.notes.unshift(...progress.session.notes);
  // Never waits beyond the task's wall clock; the next check of that limit ends the stage.
  const { pause, stop } = run.context;
  await pause(Math.min(session.restMs(), run.wallLeftMs() ?? Number.POSITIVE_INFINITY), stop);
  return {
    how: 'followed',
    progress: { ...progress, session, request: { ...request, resumeSession: session.id } },
  };
}
