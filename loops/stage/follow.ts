// Follows a decision: waits, and goes over to the tool and the session that are asked next.

import { openStageSession } from '../stage-session/stage-session.ts';
import type { Next } from '../task/ask.ts';
import type { Course } from './course.ts';
import { pauseUntil } from './pauses.ts';

export async function follow(course: Course, next: Next): Promise<'followed' | 'stopped'> {
  const { run } = course;
  const { pause, clock, stop } = run.context;
  // The wait that was granted is counted in time awake, so that a clock that is set back does not lengthen it for ever.
  if (next.until === null) await pause(next.waitMs, stop);
  else await pauseUntil(next.until, course.resetLeftMs, clock, stop);
  course.ask = next.ask;
  course.run = { ...run, stage: next.stage };
  if (next.counts === 'as_retry') course.retriesLeft -= 1;
  if (next.counts === 'as_busy') course.busyAwaited += 1;
  if (next.counts === 'as_reset') {
    course.resetsAwaited += 1;
    course.resetLeftMs = Math.max(0, course.resetLeftMs - next.waitMs);
  }
  return next.stage.tool === run.stage.tool ? 'followed' : changeTool(course);
}

/** Another tool has another session; the first one is left before, for two who hold one each and want the other's wait for ever. */
async function changeTool(course: Course): Promise<'followed' | 'stopped'> {
  course.session.leave();
  const session = await openStageSession(course.run);
  if (session === null) return 'stopped';
  session.notes.unshift(...course.session.notes);
  course.session = session;
  course.ask = { ...course.ask, resumeSession: session.id };
  // Never beyond the task's wall clock; the next look at it ends the stage.
  const { pause, stop } = course.run.context;
  await pause(Math.min(session.restMs(), course.run.wallLeftMs() ?? Number.POSITIVE_INFINITY), stop);
  return 'followed';
}
