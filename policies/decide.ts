// What to do about a failed call: the retry table, within what is left.

import type { ErrorClass } from './classes.ts';
import type { Verdict } from './evidence.ts';
import { nextActions } from './next-actions.ts';
import { RETRY_TABLE } from './retry.ts';
import type { Tool } from './tools.ts';

export interface Question {
  verdict: Verdict;
  /** How often this signature was seen in this stage in this run, this time included. */
  count: number;
  retriesLeft: number;
  /** Of the task's paid calls. */
  callsLeft: number;
  /** The attempt ran tools or changed the tree: to begin anew would redo its work. */
  dirty: boolean;
  /** The session that can go on from where it stopped; null if none can. */
  sessionId: string | null;
  /** How long a quota's reset may be waited for; 0 is not at all. */
  waitForResetMs: number;
  /** How long the next call would have to be waited for, and how much of the task's wall clock is left; null is no limit. */
  waitMs: number;
  wallLeftMs: number | null;
  now: Date;
  taskId: string;
  tool: Tool;
}

/** `why` is half a sentence that follows the class; `next_actions` are for whoever reads the report. */
export type Decision = { why: string; next_actions: string[] } & (
  | { action: 'retry' | 'retry_digest' | 'stop' }
  | { action: 'resume'; sessionId: string }
  /** No retry: the same call, later. */
  | { action: 'wait_until'; until: string }
);

/** Pure and total: the same question has the same answer, and there is always one. */
export function decide(question: Question): Decision {
  const { verdict, count, retriesLeft, callsLeft, dirty, sessionId } = question;
  if (verdict.class === null) return stop(question, 'nothing failed');
  const waiting = waitForReset(question);
  if (waiting !== null) return waiting;
  const row = RETRY_TABLE[verdict.class];
  const planned = count <= 1 ? row.first : row.again;
  if (planned === 'stop') return stop(question, count <= 1 ? NEVER[verdict.class] : `seen ${count} times in this run`);
  if (retriesLeft <= 0) return stop(question, 'the retries of this stage are used up');
  if (callsLeft <= 0) return stop(question, 'no paid call is left', [`tollgate budget ${question.taskId} --set N`]);
  if (question.wallLeftMs !== null && question.waitMs >= question.wallLeftMs)
    return stop(question, `the wait of ${Math.ceil(question.waitMs / 1000)} s would pass the task's wall clock`);
  if (!dirty) return go(planned, planned === 'retry' ? 'trying once more' : 'trying once more with a digest');
  if (planned === 'retry_digest')
    return stop(question, 'the attempt had already run tools, and its history is what is too long', [RETRY_DIRTY]);
  if (sessionId === null)
    return stop(question, 'the attempt had already run tools, and there is no session to go on in', [RETRY_DIRTY]);
  return {
    action: 'resume',
    sessionId,
    why: 'going on in its session, for it had already run tools',
    next_actions: [],
  };
}

const RETRY_DIRTY = 'look at what it changed; --retry-dirty begins anew all the same';

/** Why the first sight of a class is the last. */
const NEVER: Record<ErrorClass, string> = {
  transient: 'not retried',
  prompt_too_large: 'not retried',
  auth: 'never retried: it would fail the same way',
  quota: 'never retried before its reset',
  tooling: 'never retried: it would fail the same way',
  scope_violation: 'never retried: the changes need a look',
  contract_violation: 'never retried: the same prompt would be answered the same way',
  unknown: 'not retried',
};

function waitForReset(question: Question): Decision | null {
  const { verdict, waitForResetMs, callsLeft, now, wallLeftMs } = question;
  if (verdict.class !== 'quota' || verdict.retry_at === null || waitForResetMs <= 0 || callsLeft <= 0) return null;
  const waitMs = Date.parse(verdict.retry_at) - now.getTime();
  if (!(waitMs <= waitForResetMs) || (wallLeftMs !== null && waitMs >= wallLeftMs)) return null;
  return { action: 'wait_until', until: verdict.retry_at, why: 'waiting for the reset', next_actions: [] };
}

const go = (action: 'retry' | 'retry_digest', why: string): Decision => ({ action, why, next_actions: [] });

function stop(question: Question, why: string, first: string[] = []): Decision {
  return { action: 'stop', why, next_actions: [...first, ...nextActions(question)] };
}
