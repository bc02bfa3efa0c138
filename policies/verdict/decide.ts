// Decides what to do about a failed call: applies the retry table within the remaining budget, after the session is looked at.

import type { ErrorClass } from '../facts/classes.ts';
import type { Verdict } from '../facts/evidence.ts';
import { type NextAction, toDo } from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';
import { exponential, RETRY_TABLE } from './retry.ts';
import { causeOf, STANDS_IN_FOR } from './stand-ins.ts';

export interface Question {
  verdict: Verdict;
  /** How often this signature occurred in this stage in this run, including now. */
  count: number;
  retriesLeft: number;
  /** The task's remaining paid calls. */
  callsLeft: number;
  /** The attempt ran tools or changed the tree: to start again would redo its work. */
  dirty: boolean;
  /** Whether a dirty attempt may be retried if its session cannot be resumed. */
  dirtyRetries: 'never' | 'allowed';
  /** The session that can resume from where it stopped; null if none can. */
  sessionId: string | null;
  /** What is known of the session that failed. */
  session: SessionStanding;
  /** How long the dispatcher may wait for a quota's reset; 0 is not at all. */
  waitForResetMs: number;
  /** How many resets were waited for in this stage and run. */
  resetsAwaited: number;
  /** The fallback for this tool, or for its model; null if there is none, or none that remains. */
  fallback: Tool | null;
  /** Its name, or its model if the tool is the same. */
  standIn?: string;
  /** The causes for which it is used; only a quota by default. */
  fallbackOn?: typeof STANDS_IN_FOR;
  /** The wait before the next call, and the task's remaining wall clock; null is no limit. */
  waitMs: number;
  wallLeftMs: number | null;
  now: Date;
  /** The other engine whose reset comes first, in words. */
  resetOf?: string;
  /** When the failure was classified, from which its reset counts: the clock may have been set since. Now by default. */
  judgedAt?: Date;
}

/** `why`: half a sentence after the class. `next_actions`: the decision's own, before those of the failure. */
export type Decision = { why: string; next_actions: NextAction[] } & (
  | { action: 'retry' | 'retry_digest' }
  | { action: 'stop' }
  | { action: 'resume'; sessionId: string }
  /** No retry: the same call, later; in its session if it had already run tools. */
  | { action: 'wait_until'; until: string; sessionId: string | null }
  /** No retry either: the same prompt, to another tool. */
  | { action: 'fallback'; tool: Tool }
  /** No retry: the stage's prompt, in a new session. */
  | { action: 'fresh_session' }
  /** No retry: the same call, once the process that has its session is done. */
  | { action: 'wait_session'; waitMs: number }
  /** A retry in the session, once its history is repaired. */
  | { action: 'mend'; sessionId: string }
);

/** Pure and total: the same question has the same answer, and there is always one. */
export function decide(question: Question): Decision {
  const { verdict, count, retriesLeft, callsLeft, dirty, sessionId } = question;
  if (verdict.class === null) return stop('nothing failed');
  const around = standIn(question) ?? aroundQuota(question) ?? aroundSession(question);
  if (around !== null) return around;
  const row = RETRY_TABLE[verdict.class];
  const planned = count <= 1 ? row.first : row.again;
  if (planned === 'stop') {
    const why = count <= 1 ? never(verdict) : `seen ${count} times in this run`;
    const unused = unusedFallback(question);
    return unused === null ? stop(why) : stop(`${why}; ${unused}`, [FALLBACK_DIRTY]);
  }
  if (retriesLeft <= 0) return stop('no retry of this stage remains');
  if (callsLeft <= 0) return stop('no paid call remains');
  if (question.wallLeftMs !== null && question.waitMs >= question.wallLeftMs)
    return stop(`the wait of ${Math.ceil(question.waitMs / 1000)} s would pass the task's wall clock`);
  const goesOn = planned === 'retry' && sessionId !== null;
  if (!dirty || (question.dirtyRetries === 'allowed' && !goesOn))
    return go(planned, planned === 'retry' ? 'trying once more' : 'trying once more with a digest');
  if (planned === 'retry_digest')
    return stop('the attempt had already run tools or changed the tree, and its history is too long', [RETRY_DIRTY]);
  if (sessionId === null)
    return stop('the attempt had already run tools or changed the tree, and there is no session to continue in', [
      RETRY_DIRTY,
    ]);
  return {
    action: 'resume',
    sessionId,
    why: 'continuing in its session, because it had already run tools or changed the tree',
    next_actions: [],
  };
}

const FALLBACK_DIRTY = toDo('review its changes; with --retry-dirty a run then calls the fallback at once');

const RETRY_DIRTY = toDo('review its changes before you run it again; with --retry-dirty a run starts over by itself');

/** Our own budget has no reset. */
const never = ({ class: errorClass, reason }: Verdict): string =>
  reason === 'budget' ? 'no call is made until it is raised' : NEVER[errorClass ?? 'unknown'];

/** Why a class is not retried even once. */
export const NEVER: Record<ErrorClass, string> = {
  transient: 'not retried',
  prompt_too_large: 'not retried',
  auth: 'never retried: it would fail the same way',
  quota: 'never retried before its reset',
  tooling: 'never retried: it would fail the same way',
  scope_violation: 'never retried: the changes need a review',
  contract_violation: 'never retried: the same prompt would be answered the same way',
  unknown: 'not retried',
};

/** If a session cannot be resumed, or not now, the task need not be given up. */
function aroundSession(question: Question): Decision | null {
  const { verdict, session, callsLeft, retriesLeft, wallLeftMs } = question;
  const way = callsLeft <= 0 ? null : wayOutOfSession(verdict, session);
  if (way === null || (way.action === 'mend' && retriesLeft <= 0)) return null;
  const waitMs = way.action === 'wait_session' ? way.waitMs : way.action === 'mend' ? question.waitMs : 0;
  return wallLeftMs !== null && waitMs >= wallLeftMs ? null : { ...way, next_actions: [] };
}

/** Why the fallback for a quota is not called, although the user may allow it; null if there is no such reason. */
function unusedFallback(question: Question): string | null {
  const allowed = standIn({ ...question, dirtyRetries: 'allowed' });
  return question.dirty && causeOf(question.verdict) === 'quota' && allowed?.action === 'fallback'
    ? `${allowed.tool} did not replace it, because the attempt had already run tools or changed the tree`
    : null;
}

/** Another tool or model now. An attempt that had begun starts again only after a quota with --retry-dirty. */
function standIn(question: Question): Decision | null {
  const { verdict, fallback, fallbackOn = STANDS_IN_FOR, callsLeft, dirty, dirtyRetries } = question;
  const cause = causeOf(verdict);
  if (fallback === null || cause === null || !fallbackOn.includes(cause) || callsLeft <= 0) return null;
  if (dirty && (cause !== 'quota' || dirtyRetries !== 'allowed')) return null;
  return { action: 'fallback', tool: fallback, why: `${question.standIn ?? fallback} replaces it`, next_actions: [] };
}

/** A quota is not retried, but this tool may be called later. */
function aroundQuota(question: Question): Decision | null {
  const { verdict, callsLeft, dirty, sessionId } = question;
  // Our own budget is the same for every tool, and has no reset.
  if (verdict.class !== 'quota' || verdict.reason === 'budget' || callsLeft <= 0) return null;
  const mayBeginAnew = !dirty || question.dirtyRetries === 'allowed';
  const until = resetWithin(question);
  if (until === null || (!mayBeginAnew && sessionId === null)) return null;
  return {
    action: 'wait_until',
    until,
    sessionId: dirty ? sessionId : null,
    why: question.resetOf === undefined ? 'waiting for the reset' : `waiting for the reset of ${question.resetOf}`,
    next_actions: [],
  };
}

/** ISO time; null if it is too far away. After each reset that did not help, the minimum wait is longer. */
function resetWithin({
  verdict,
  waitForResetMs,
  resetsAwaited,
  now,
  judgedAt = now,
  wallLeftMs,
}: Question): string | null {
  if (verdict.retry_at === null || waitForResetMs <= 0) return null;
  const leastMs = resetsAwaited === 0 ? 0 : FIRST_DOUBT_MS * 2 ** (resetsAwaited - 1);
  const waitMs = Math.max(Date.parse(verdict.retry_at) - judgedAt.getTime(), leastMs);
  const isWithin = waitMs <= waitForResetMs && (wallLeftMs === null || waitMs < wallLeftMs);
  return isWithin ? new Date(now.getTime() + waitMs).toISOString() : null;
}

const FIRST_DOUBT_MS = 60_000;

const go = (action: 'retry' | 'retry_digest', why: string): Decision => ({ action, why, next_actions: [] });

const stop = (why: string, next_actions: NextAction[] = []): Decision => ({ action: 'stop', why, next_actions });

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

/** For a session that is unknown, written by another process, or broken. @returns null for any other failure. */
export function wayOutOfSession({ reason }: Verdict, standing: SessionStanding): SessionWayOut | null {
  const { sessionId, resumed, busyAwaited, repair } = standing;
  if (reason === 'session_id' && resumed)
    return { action: 'fresh_session', why: 'the CLI no longer knows its session; calling in a fresh one' };
  if (reason === 'session_busy' && resumed && busyAwaited < MAX_BUSY_WAITS)
    return {
      action: 'wait_session',
      waitMs: busyWaitMs(busyAwaited),
      why: 'another process uses its session; waiting for it',
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
