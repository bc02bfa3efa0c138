// Carries out a decision: waits, and switches to the tool and the session of the next attempt.

import { openStageSession } from '../stage-session/stage-session.ts';
import type { NextAttempt } from '../task/attempt-request.ts';
import { pauseUntil } from './pauses.ts';
import type { StageProgress } from './stage-progress.ts';

export async function applyDecision(progress: StageProgress, next: NextAttempt): Promise<'followed' | 'stopped'> {
  const { run } = progress;
  const { pause, clock, stop } = run.context;
  // The granted wait is counted in time awake, so that a clock that is set back cannot prolong it without limit.
  if (next.until === null) await pause(next.waitMs, stop);
  else await pauseUntil(next.until, progress.resetLeftMs, clock, stop);
  progress.request = next.request;
  progress.run = { ...run, stage: next.stage };
  if (next.counts === 'as_retry') progress.retriesLeft -= 1;
  if (next.counts === 'as_busy') progress.busyAwaited += 1;
  if (next.counts === 'as_reset') {
    progress.resetsAwaited += 1;
    progress.resetLeftMs = Math.max(0, progress.resetLeftMs - next.waitMs);
  }
  return next.stage.tool === run.stage.tool ? 'followed' : changeTool(progress);
}

/**
 * Another tool has another session. The first session is released before, since two stages that each wait for the other's would
 * deadlock.
 */
async function changeTool(progress: StageProgress): Promise<'followed' | 'stopped'> {
  progress.session.release();
  const session = await openStageSession(progress.run);
  if (session === null) return 'stopped';
  session.notes.unshift(...progress.session.notes);
  progress.session = session;
  progress.request = { ...progress.request, resumeSession: session.id };
  // Never waits beyond the task's wall clock; the next check of that limit ends the stage.
  const { pause, stop } = progress.run.context;
  await pause(Math.min(session.restMs(), progress.run.wallLeftMs() ?? Number.POSITIVE_INFINITY), stop);
  return 'followed';
}
