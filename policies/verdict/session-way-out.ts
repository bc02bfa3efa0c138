// Decides about a failure of the session: it is unknown, another process writes it, or its history is broken.

import type { Verdict } from '../facts/evidence.ts';
import { exponential } from './backoff.ts';

export interface SessionStanding {
  /** The session that the failed call resumed, or made; null if none is known. */
  sessionId: string | null;
  /** Did the call resume an existing session? */
  resumed: boolean;
  /** How often this stage and run waited for another process to stop using it. */
  busyAwaited: number;
  /** May its history be repaired now? Once in a stage, and not with `--no-repair`. */
  repair: 'allowed' | 'done' | 'off';
}

/** `why` is half a sentence. The first two are not retries. */
type SessionWayOut =
  | { action: 'fresh_session'; why: string }
  | { action: 'wait_session'; waitMs: number; why: string }
  | { action: 'mend'; sessionId: string; why: string };

export const MAX_BUSY_WAITS = 4;

/** @returns null if the failure is handled like any other. */
export function wayOutOfSession({ reason }: Verdict, standing: SessionStanding): SessionWayOut | null {
  const { sessionId, resumed, busyAwaited, repair } = standing;
  if (reason === 'session_id' && resumed)
    return { action: 'fresh_session', why: 'its session is not known to the CLI any more; asking in a fresh one' };
  if (reason === 'session_busy' && resumed && busyAwaited < MAX_BUSY_WAITS)
    return {
      action: 'wait_session',
      waitMs: busyWaitMs(busyAwaited),
      why: 'another process writes in its session; waiting for it',
    };
  if (reason === 'broken_history' && sessionId !== null && repair === 'allowed')
    return { action: 'mend', sessionId, why: 'repairing the history of its session' };
  return null;
}

/** The other writer may need minutes. */
const BUSY_GROWTH = { firstMs: 2000, factor: 4, maxMs: 60_000 };

/** The whole step, without jitter: there is no crowd, because our own calls wait in a queue. */
export function busyWaitMs(awaited: number): number {
  let step = exponential(BUSY_GROWTH);
  for (let i = 0; i < awaited; i++) step = step.next();
  return step.delayMs(() => 1);
}
