// What is done about a failure that is the session's own: it is not known, somebody else writes it, or its history is broken.

import type { Verdict } from '../facts/evidence.ts';
import { exponential } from './backoff.ts';

export interface SessionStanding {
  /** The session that the failed call went on in, or made; null is none that is known. */
  sessionId: string | null;
  /** Did the call go on in a session that was there before? */
  resumed: boolean;
  /** How often somebody else's use of it was waited for in this stage and run. */
  busyAwaited: number;
  /** May its history be mended now? Once in a stage, and not with `--no-repair`. */
  repair: 'allowed' | 'done' | 'off';
}

/** `why` is a half sentence. The first two are no retries. */
type SessionWayOut =
  | { action: 'fresh_session'; why: string }
  | { action: 'wait_session'; waitMs: number; why: string }
  | { action: 'mend'; sessionId: string; why: string };

export const MAX_BUSY_WAITS = 4;

/** null: it is a failure like others. */
export function wayOutOfSession({ reason }: Verdict, standing: SessionStanding): SessionWayOut | null {
  const { sessionId, resumed, busyAwaited, repair } = standing;
  if (reason === 'session_id' && resumed)
    return { action: 'fresh_session', why: 'its session is not known to the CLI any more; asking in a fresh one' };
  if (reason === 'session_busy' && resumed && busyAwaited < MAX_BUSY_WAITS)
    return {
      action: 'wait_session',
      waitMs: busyWaitMs(busyAwaited),
      why: 'somebody else writes in its session; waiting for them',
    };
  if (reason === 'broken_history' && sessionId !== null && repair === 'allowed')
    return { action: 'mend', sessionId, why: 'mending the history of its session' };
  return null;
}

/** Whoever writes there may be at it for minutes. */
const BUSY_GROWTH = { firstMs: 2000, factor: 4, maxMs: 60_000 };

/** The whole step: no crowd waits here, for those of ours stand in line. */
export function busyWaitMs(awaited: number): number {
  let step = exponential(BUSY_GROWTH);
  for (let i = 0; i < awaited; i++) step = step.next();
  return step.delayMs(() => 1);
}
